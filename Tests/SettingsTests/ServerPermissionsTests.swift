import Quantities
import Testing
import TextSnapshots

@testable import Settings

/// A server's value applies while the server has the permission to set it.
@Suite struct ServerPermissionsTests: MadeUpServers {
  static let texts = TextSnapshot("remote-settings")

  struct Case: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var file: String
    var key: ServerKey
    var setter: String?
    /// The value applies.
    var isPermitted: Bool

    init(_ name: String, _ file: String, _ key: ServerKey, by setter: String?, _ isPermitted: Bool = false) {
      (testDescription, self.file, self.key) = (name, file, key)
      (self.setter, self.isPermitted) = (setter, isPermitted)
    }
  }

  static func a(_ more: String = "") -> String { "{ name: 'a', kind: 'overland', url: 'http://h', \(more) }" }
  static let b = "{ name: 'b', kind: 'overland', url: 'http://h', may_set: true }"
  static let both = "destinations: [\(a()), \(b)],"
  static let time = ServerKey("main.min_time")

  static let cases = [
    Case("the first destination", both, time, by: "a", true),
    Case("a destination with permission", both, time, by: "b", true),
    Case("a destination that was removed", both, time, by: "c"),
    Case(
      "own value of a destination that was removed", both, ServerKey("send_interval", destination: "c"),
      by: nil),
    Case(
      "a destination that lost permission", "destinations: [\(a("may_set: false")), \(b)],", time, by: "a"),
    Case(
      "own value of a destination that lost permission", "destinations: [\(a("may_set: false")), \(b)],",
      interval, by: "a"),
    Case(
      "a destination that is no longer the first",
      "destinations: [{ name: 'b', kind: 'overland', url: 'http://h' }, \(a())],", time, by: "a"),
    Case("a locked setting", "\(both) remote: { locked: ['main.min_time'] },", time, by: "a"),
    Case("a locked group", "\(both) remote: { locked: ['main'] },", time, by: "a"),
    Case("a locked own value", "\(both) remote: { locked: ['send_interval'] },", interval, by: "a"),
    Case("unknown server, one has permission", both, time, by: nil, true),
    Case("unknown server, none has permission", "destinations: [\(a("may_set: false"))],", time, by: nil),
    Case("a setting that servers cannot change", both, ServerKey("storage.directory"), by: "a"),
    Case("an unknown setting", both, ServerKey("main.gone"), by: "a"),
    Case("a setting of destinations for the device", both, ServerKey("send_interval"), by: "a"),
    Case(
      "a setting of the device for a destination", both, ServerKey("main.min_time", destination: "a"),
      by: "a"),
  ]

  @Test(arguments: cases)
  func aValueAppliesWhileItsServerHasPermission(_ row: Case) throws {
    let configuration = try LayerTests.read(file: "{ \(row.file) }")
    let objection = ServerPermissions(configuration).objection(to: row.key, by: row.setter).map { "\($0)" }
    #expect((objection == nil) == row.isPermitted, "\(objection ?? "it applies")")
    guard let objection else { return }
    #expect(objection == Self.texts.expected("objection: \(row.testDescription)", objection))
  }

  @Test(arguments: cases)
  func aStoredValueWithoutPermissionIsIgnored(_ row: Case) throws {
    let values = [
      "main.min_time": "7s", "send_interval": "9s", "storage.directory": "/elsewhere", "main.gone": "1",
    ]
    let value = try #require(values[row.key.path])
    let plain = try LayerTests.read(file: "{ \(row.file) }")
    let setters = row.setter.map { [row.key: $0] } ?? [:]
    let read = try LayerTests.read(file: "{ \(row.file) }", server: [row.key: value], setters: setters)
    let isApplied = read != plain
    #expect(isApplied == row.isPermitted && read.storedFaults.isEmpty)
  }

  static func rules(_ file: String) throws -> ServerChanges.Rules {
    .init(maxSilence: silence, permissions: ServerPermissions(try LayerTests.read(file: "{ \(file) }")))
  }

  /// The state after a server has set `main.min_time` and the value is proven.
  static func proven(by name: String = "b", _ value: String = "5s") throws -> ServerChanges {
    var changes = ServerChanges(rules: try rules(both), now: .zero)
    _ = changes.handle(.requested([time: value], by: name, afterRecord: 10), now: .zero)
    _ = changes.handle(.answered(by: name, newestLocation: 11), now: at(1))
    #expect(changes.trials.isEmpty)
    return changes
  }

  @Test func aProvenValueIsForgottenWhenItsServerLosesPermission() throws {
    var changes = try Self.proven()
    #expect(changes.handle(.rules(try Self.rules(Self.both)), now: Self.at(2)).isEmpty)
    let actions = changes.handle(.rules(try Self.rules("destinations: [\(Self.a())],")), now: Self.at(3))
    guard case .rolledBack([Self.time], by: "b", .mayNotSet(let objection))? = actions.first else {
      return #expect(Bool(false), "\(actions)")
    }
    #expect(Array(actions.dropFirst()) == [.changed, .keep])
    let expected = Self.texts.expected("objection: a destination that was removed", "\(objection)")
    #expect("\(objection)" == expected)
    #expect(changes.values.isEmpty && changes.setters.isEmpty)
    let kept = changes.record(now: Self.at(3), boot: "one", utc: Self.utc)
    let later = ServerChanges(
      kept, rules: try Self.rules(Self.both), now: Self.at(4), boot: "one", utc: Self.utc)
    #expect(later.values.isEmpty, "it stays forgotten when the destination is configured again")
    #expect(changes.handle(.rules(try Self.rules("destinations: [\(Self.a())],")), now: Self.at(5)).isEmpty)
  }

  @Test func aTrialEndsWhenItsServerLosesPermission() throws {
    var changes = try Self.proven()
    _ = changes.handle(.requested([Self.time: "7s"], by: "a", afterRecord: 20), now: Self.at(2))
    let muted = try Self.rules("destinations: [\(Self.a("may_set: false")), \(Self.b)],")
    #expect(changes.handle(.rules(muted), now: Self.at(3)).last == .keep)
    #expect(changes.trials.isEmpty && changes.nextTimeout == nil && changes.failures.isEmpty)
    #expect(changes.values == [Self.time: "5s"], "the value proven by another server applies again")
    #expect(changes.setters == [Self.time: "b"])
  }

  @Test func aTrialIsNotRolledBackToAValueWithoutPermission() throws {
    var changes = try Self.proven()
    _ = changes.handle(.requested([Self.time: "7s"], by: "a", afterRecord: 20), now: Self.at(2))
    #expect(
      changes.handle(.rules(try Self.rules("destinations: [\(Self.a())],")), now: Self.at(3)) == [.keep])
    #expect(changes.trials[Self.time]?.by == "a")
    _ = changes.handleTimeout(now: Self.at(80_002))
    #expect(changes.values.isEmpty && changes.trials.isEmpty)
  }

  @Test func theSetterOfAValueIsKnownAfterARestart() throws {
    var changes = try Self.proven()
    _ = changes.handle(.requested([Self.time: "7s"], by: "a", afterRecord: 20), now: Self.at(2))
    var later = Self.after(changes, at: Self.at(3), boot: "one", next: Self.at(3))
    #expect(later.setters == [Self.time: "a"] && later.trials[Self.time]?.beforeBy == "b")
    _ = later.handle(.answered(by: "a", newestLocation: 21), now: Self.at(4))
    later = Self.after(later, at: Self.at(5), boot: "two", next: Self.at(5))
    #expect(later.setters == [Self.time: "a"] && later.trials.isEmpty)
  }

  @Test func theOperatorUnsetsValuesOfServers() throws {
    var changes = try Self.proven()
    _ = changes.handle(
      .requested([Self.size: "50", Self.mode: "off"], by: "b", afterRecord: 20), now: Self.at(2))
    let actions = changes.handle(
      .unset(["main.min_time", "main.batch_size", "main.min_distance"]), now: Self.at(3))
    #expect(actions == [.rolledBack([Self.size, Self.time], by: "b", .unset), .changed, .keep])
    #expect(changes.values == [Self.mode: "off"] && changes.trials.keys.sorted() == [Self.mode])
    #expect(changes.handle(.unset(["main.min_time"]), now: Self.at(4)).isEmpty)
    var record = changes.record(now: Self.at(4), boot: "one", utc: Self.utc)
    #expect(record.forget(["main.tracking_mode"]) == [Self.mode])
    let later = ServerChanges(record, now: Self.at(5), boot: "one", utc: Self.utc)
    #expect(later.values.isEmpty && later.trials.isEmpty, "without a logger too")
  }

  // MARK: Two servers

  @Test func theServerListedFirstWins() throws {
    var changes = try Self.proven(by: "a")
    let before = changes
    let outranked = ServerChanges.Outranked(key: Self.time, value: "7s", present: "5s", setter: "a")
    for second in 0..<100 {
      let actions = changes.handle(
        .requested([Self.time: "7s"], by: "b", afterRecord: 30), now: Self.at(Int64(second)))
      #expect(actions == [.outranked([outranked])])
      #expect(
        changes.handle(.requested([Self.time: "5s"], by: "a", afterRecord: 30), now: Self.at(Int64(second)))
          == [])
    }
    #expect(changes == before, "and nothing is written")
    var other = try Self.proven(by: "b")
    #expect(
      other.handle(.requested([Self.time: "7s"], by: "a", afterRecord: 30), now: Self.at(2)).contains(
        .began([Self.time])))
    #expect(other.values == [Self.time: "7s"] && other.setters == [Self.time: "a"])
  }

  @Test func aDestinationsOwnValuesHaveNoRival() throws {
    var changes = try Self.proven(by: "a")
    let requested = [
      ServerKey("send_interval", destination: "a"): "1m", ServerKey("send_interval", destination: "b"): "2m",
    ]
    for (key, value) in requested {
      let name = key.destination ?? ""
      #expect(
        changes.handle(.requested([key: value], by: name, afterRecord: 30), now: .zero).contains(
          .began([key])))
    }
  }

  @Test func anEqualValueOfTheFirstServerBelongsToIt() throws {
    var changes = try Self.proven(by: "b")
    #expect(
      changes.handle(.requested([Self.time: "5s"], by: "a", afterRecord: 30), now: Self.at(2)) == [.keep])
    #expect(changes.handle(.requested([Self.time: "5s"], by: "a", afterRecord: 30), now: Self.at(3)) == [])
    #expect(changes.handle(.requested([Self.time: "5s"], by: "b", afterRecord: 30), now: Self.at(4)) == [])
    let actions = changes.handle(.requested([Self.time: "7s"], by: "b", afterRecord: 30), now: Self.at(5))
    #expect(actions == [.outranked([.init(key: Self.time, value: "7s", present: "5s", setter: "a")])])
  }

  @Test func afterARollbackOfTheFirstServersValueAnotherServerMayChangeIt() throws {
    var changes = ServerChanges(rules: try Self.rules(Self.both), now: .zero)
    _ = changes.handle(.requested([Self.time: "5s"], by: "a", afterRecord: 10), now: .zero)
    _ = changes.handleTimeout(now: Self.at(80_000))
    let actions = changes.handle(
      .requested([Self.time: "7s"], by: "b", afterRecord: 10), now: Self.at(80_001))
    #expect(actions.contains(.began([Self.time])))
  }

  // MARK: Proof

  @Test func aRequestedLocationDoesNotProveASettingThatWouldHaveRejectedIt() throws {
    let exact = ServerKey("main.max_accuracy")
    var changes = ServerChanges(rules: try Self.rules(Self.both), now: .zero)
    _ = changes.handle(.requested([exact: "10m", Self.mode: "off"], by: "a", afterRecord: 10), now: .zero)
    let server = [exact: "10m", Self.mode: "off"]
    let read = try LayerTests.read(file: "{ \(Self.both) }", server: server)
    #expect(read.settingsAgainst(accuracyMetres: 10).isEmpty)
    for accuracy in [10.001, nil] {
      let against = read.settingsAgainst(accuracyMetres: accuracy)
      #expect(against == ["main.max_accuracy"])
      _ = changes.handle(.answered(by: "a", newestLocation: 11, inSpiteOf: against), now: Self.at(1))
      #expect(
        changes.trials.keys.sorted() == [exact], "the mode, which omits locations by design, is proven")
    }
    let actions = changes.handle(.answered(by: "a", newestLocation: 12, inSpiteOf: []), now: Self.at(2))
    #expect(actions == [.proven([exact]), .keep])
  }

  @Test func withAccuracyRetryAnyLocationIsAProof() throws {
    let read = try LayerTests.read(file: "{ main: { max_accuracy: '10m', accuracy_retry: '30s' } }")
    #expect(read.settingsAgainst(accuracyMetres: 100).isEmpty)
    #expect(try LayerTests.read().settingsAgainst(accuracyMetres: nil).isEmpty)
  }
}
