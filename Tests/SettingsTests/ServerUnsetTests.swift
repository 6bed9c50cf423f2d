import JSON
import Quantities
import Testing

@testable import Settings

/// A server that takes its own values back: `unset` in a response.
@Suite struct ServerUnsetTests: MadeUpServers {
  static func unset(_ changes: inout ServerChanges, _ keys: [ServerKey], by: String = "a", at second: Int64)
    -> [ServerChanges.Action]
  {
    changes.handle(.unsetRequested(keys, by: by), now: at(second))
  }

  /// The state with a value of a that is proven.
  static func proven(_ key: ServerKey = mode, _ value: String = "off", by name: String = "a") -> ServerChanges
  {
    var changes = changes()
    _ = changes.handle(.requested([key: value], by: name, afterRecord: 10), now: .zero)
    _ = changes.handle(.answered(by: name, newestLocation: 11), now: at(1))
    return changes
  }

  static func wear(_ changes: inout ServerChanges) {
    for second in 1...Int64(ServerChanges.mostChanges) {
      _ = changes.handle(.requested([mode: "\(second)"], by: "a", afterRecord: 10), now: at(second))
    }
  }

  @Test func aServerRemovesItsOwnValue() {
    var changes = Self.proven()
    #expect(
      Self.unset(&changes, [Self.mode], at: 2) == [.unset([Self.mode], by: "a"), .changed, .keep])
    #expect(changes.values.isEmpty && changes.setters.isEmpty && changes.nextTimeout == nil)
    #expect(
      changes.handle(.requested([Self.mode: "off"], by: "a", afterRecord: 10), now: Self.at(3)).contains(
        .began([Self.mode])), "and may set it again")
  }

  @Test func valuesOfOthersAreKept() {
    var changes = Self.proven()
    #expect(Self.unset(&changes, [Self.mode], by: "b", at: 2) == [.notItsOwn([Self.mode])])
    #expect(Self.unset(&changes, [Self.interval], at: 3) == [.notItsOwn([Self.interval])], "set by nobody")
    #expect(changes.values == [Self.mode: "off"])
    var unknown = Self.changes(proven: [Self.mode: "off"])
    #expect(Self.unset(&unknown, [Self.mode], at: 2) == [.notItsOwn([Self.mode])], "of an unknown server")
    var own = Self.changes(proven: [Self.interval: "1m"])
    #expect(
      Self.unset(&own, [Self.interval], at: 2).contains(.changed), "its own destination's, of old versions")
  }

  @Test func severalKeysAreRemovedAndTheOthersReported() {
    var changes = Self.proven()
    _ = changes.handle(.requested([Self.interval: "1m"], by: "a", afterRecord: 10), now: Self.at(2))
    let keys = [Self.interval, Self.size, Self.mode, Self.interval]
    #expect(
      Self.unset(&changes, keys, at: 3) == [
        .notItsOwn([Self.size]), .unset([Self.mode, Self.interval].sorted(), by: "a"), .changed, .keep,
      ])
  }

  @Test func aTrialEndsAndTheValueOfAnotherServerReturns() {
    var changes = Self.onTrial()
    #expect(Self.unset(&changes, [Self.mode], at: 5).contains(.unset([Self.mode], by: "a")))
    #expect(changes.trials.isEmpty && changes.values.isEmpty && changes.failures.isEmpty)
    #expect(changes.nextTimeout == nil)

    changes = Self.proven(Self.mode, "both", by: "b")
    _ = changes.handle(.requested([Self.mode: "off"], by: "a", afterRecord: 20), now: Self.at(2))
    _ = Self.unset(&changes, [Self.mode], at: 3)
    #expect(changes.values == [Self.mode: "both"] && changes.setters == [Self.mode: "b"])

    changes = Self.proven(Self.mode, "both")
    _ = changes.handle(.requested([Self.mode: "off"], by: "a", afterRecord: 20), now: Self.at(2))
    _ = Self.unset(&changes, [Self.mode], at: 3)
    #expect(changes.values.isEmpty, "its own earlier value does not return")
  }

  // MARK: The rate limit

  @Test func aRemovalCountsAsAChange() {
    var changes = Self.changes()
    for round in 0..<Int64(ServerChanges.mostChanges / 2) {
      _ = changes.handle(
        .requested([Self.mode: "\(round)"], by: "a", afterRecord: 10), now: Self.at(10 * round))
      #expect(Self.unset(&changes, [Self.mode], at: 10 * round + 5).contains(.changed))
    }
    let seventh = changes.handle(.requested([Self.mode: "x"], by: "a", afterRecord: 10), now: Self.at(100))
    #expect(seventh == [.postponed([Self.mode], isNew: true)])
  }

  @Test func aRemovalThatComesTooEarlyIsCarriedOutWhenTheHourAllows() {
    var changes = Self.changes()
    Self.wear(&changes)
    #expect(Self.unset(&changes, [Self.mode], at: 10) == [.postponed([Self.mode], isNew: true)])
    #expect(Self.unset(&changes, [Self.mode], at: 11) == [.postponed([Self.mode], isNew: false)])
    #expect(changes.isWaiting(Self.mode, by: "a") && changes.values == [Self.mode: "6"])
    var killed = ServerChanges(
      changes.record(now: Self.at(10), boot: "one", utc: Self.utc), rules: changes.rules, now: Self.at(12),
      boot: "one", utc: Self.utc)
    #expect(killed.handleTimeout(now: Self.at(12)).contains(.dueToUnset([Self.mode], by: "a")))
    #expect(changes.handleTimeout(now: Self.at(3601)).contains(.dueToUnset([Self.mode], by: "a")))
    #expect(Self.unset(&changes, [Self.mode], at: 3601).contains(.changed))
    #expect(changes.values.isEmpty)
  }

  @Test func theLastRequestCounts() {
    var changes = Self.changes()
    Self.wear(&changes)
    _ = Self.unset(&changes, [Self.mode], at: 10)
    _ = changes.handle(.requested([Self.mode: "x"], by: "a", afterRecord: 10), now: Self.at(11))
    var value = changes
    #expect(value.handleTimeout(now: Self.at(3601)).contains(.due([Self.mode: "x"], by: "a")))
    _ = Self.unset(&changes, [Self.mode], at: 12)
    #expect(changes.handleTimeout(now: Self.at(3601)).contains(.dueToUnset([Self.mode], by: "a")))
  }

  /// A postponed first value of a setting is withdrawn, although nothing of it is in force.
  @Test func aPostponedValueIsWithdrawn() {
    var changes = Self.changes()
    for round in 0..<3 as Range<Int64> {
      _ = changes.handle(
        .requested([Self.mode: "\(round)"], by: "a", afterRecord: 10), now: Self.at(10 * round))
      _ = Self.unset(&changes, [Self.mode], at: 10 * round + 5)
    }
    _ = changes.handle(.requested([Self.mode: "x"], by: "a", afterRecord: 10), now: Self.at(100))
    #expect(Self.unset(&changes, [Self.mode], at: 101) == [])
    #expect(changes.handleTimeout(now: Self.at(101)) == [.keep], "the withdrawal is stored")
    #expect(!changes.isWaiting(Self.mode, by: "a"))
  }

  // MARK: Storing

  /// The last request is stored at once, or within a minute of a server that sends a new one in every response.
  @Test func aPostponedRequestOutlastsAPowerCut() {
    var changes = Self.changes()
    Self.wear(&changes)
    var stored = changes.record(now: Self.at(6), boot: "one", utc: Self.utc)
    var writes = 0
    for second in Int64(10)..<3000 {
      let request = ServerChanges.Event.requested([Self.mode: "\(second)"], by: "a", afterRecord: 10)
      var isStored = changes.handle(request, now: Self.at(second)).contains(.keep)
      if let next = changes.nextTimeout, next <= Self.at(second) {
        isStored = changes.handleTimeout(now: Self.at(second)).contains(.keep) || isStored
      }
      if isStored {
        stored = changes.record(now: Self.at(second), boot: "one", utc: Self.utc)
        writes += 1
      }
      let value = stored.waiting?.first?.value.flatMap { Int64($0) } ?? 0
      #expect(second - value <= 61, "at \(second) s")
    }
    #expect(writes <= 60, "\(writes)")
  }

  /// A server that repeats the same request in every response causes one write.
  @Test func aRepeatedRequestIsStoredOnce() {
    var changes = Self.changes()
    Self.wear(&changes)
    let writes = (10..<3000 as Range<Int64>).count { second in
      let request = ServerChanges.Event.requested([Self.mode: "x"], by: "a", afterRecord: 10)
      let isStored = changes.handle(request, now: Self.at(second)).contains(.keep)
      return changes.handleTimeout(now: Self.at(second)).contains(.keep) || isStored
    }
    #expect(writes == 1)
  }

  // MARK: The response

  static func own(_ path: String) -> ServerSet.Verdict { .unset(ServerKey(path, destination: "a")) }
  static func device(_ path: String) -> ServerSet.Verdict { .unset(ServerKey(path)) }
  static let noName = "expected the name of a setting, got "

  static let responses: [(text: String, verdicts: [String: ServerSet.Verdict])] = [
    (#"{"unset":["main.min_time"]}"#, ["main.min_time": device("main.min_time")]),
    (
      #"{"result":"ok","set":null,"unset":["send_interval","main.batch_size","trip_mode"]}"#,
      [
        "send_interval": own("send_interval"), "main.batch_size": own("main.batch_size"),
        "trip_mode": device("trip_mode"),
      ]
    ),
    (
      #"{"set":{"send_interval":"1m"},"unset":["main.min_time"]}"#,
      [
        "send_interval": ServerSetTests.taken("send_interval", "1m", own: true),
        "main.min_time": device("main.min_time"),
      ]
    ),
    (
      #"{"set":{"main":{"min_time":"5s"}},"unset":["main.min_time"]}"#,
      [
        "main.min_time": ServerSetTests.taken("main.min_time", "5s"),
        "unset.main.min_time": .refused(.contradiction),
      ]
    ),
    (#"{"unset":["main.min_time","main.min_time"]}"#, ["main.min_time": device("main.min_time")]),
    (#"{"unset":[]}"#, [:]),
    (#"{"unset":"main.min_time"}"#, ["unset": .ignored(#"expected a list of settings, got a text"#)]),
    (
      #"{"unset":{"main":["min_time"]}}"#,
      ["unset": .ignored("expected a list of settings, got a group { … }")]
    ),
    (#"{"unset":true}"#, ["unset": .ignored("expected a list of settings, got true or false")]),
    (#"{"unset":12}"#, ["unset": .ignored("expected a list of settings, got a number")]),
    (
      #"{"unset":["main","destinations","tracking","token","main.pause_delay"]}"#,
      [
        "main": .ignored("it is a group; name each of its settings"),
        "destinations": .ignored("servers cannot change it"),
        "tracking": .ignored("servers cannot change it"), "token": .ignored("servers cannot change it"),
        "main.pause_delay": .ignored("servers cannot change it"),
      ]
    ),
    (
      #"{"unset":["",null,5,["main.min_time"],{"a":1}]}"#,
      [
        "": .ignored("unknown setting"), "unset[1]": .ignored(noName + "null"),
        "unset[2]": .ignored(noName + "a number"),
        "unset[3]": .ignored(noName + "a list"), "unset[4]": .ignored(noName + "a group { … }"),
      ]
    ),
    (
      #"{"unset":["main.min_tme"]}"#,
      ["main.min_tme": .ignored("unknown setting; did you mean main.min_time?")]
    ),
  ]

  @Test(arguments: responses.indices) func everyResponseHasItsVerdicts(row: Int) throws {
    let (text, verdicts) = Self.responses[row]
    let read = try #require(try ServerSetTests.answer(text))
    #expect(read == verdicts, "\(text)")
  }

  @Test func withoutUnsetThereIsNoVerdict() throws {
    for text in [#"{"unset":null}"#, #"{"unsets":[]}"#, #"["unset"]"#] {
      #expect(try ServerSetTests.answer(text) == nil, "\(text)")
    }
  }

  /// The number of items is limited, and no valid one is lost.
  @Test func hugeListsAreLimited() throws {
    let names = (0..<9000).map { "\"key\($0)\"" } + [#""main.min_time""#]
    let text = #"{"unset":["# + names.joined(separator: ",") + "]}"
    let read = try #require(try ServerSetTests.answer(text))
    #expect(read.count <= ServerSet.mostItems && read["main.min_time"] == Self.device("main.min_time"))
    let both =
      #"{"set":{"# + (0..<4000).map { "\"key\($0)\":1" }.joined(separator: ",") + #"},"unset":["#
      + (0..<4000).map { "\"key\($0)\"" }.joined(separator: ",") + "]}"
    #expect(try ServerSetTests.answer(both)?.count == ServerSet.mostItems)
    let long = #"{"unset":[""# + String(repeating: "m", count: 100_000) + #""]}"#
    #expect(try ServerSetTests.answer(long)?.keys.sorted() == ["unset[0]"])
  }

  @Test func aServerWithoutPermissionUnsetsNothing() throws {
    let configuration = try LayerTests.read(
      file: "{ destinations: [{ name: \"b\", kind: \"overland\", url: \"http://h\", may_set: false }] }")
    let set = ServerSet(answer: Array(#"{"unset":["main.min_time"]}"#.utf8), of: "b", under: configuration)
    #expect(set?.items.map(\.path) == ["unset"] && set?.unset == [])
  }
}
