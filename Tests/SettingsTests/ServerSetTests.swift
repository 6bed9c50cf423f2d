import Quantities
import Testing
import TextSnapshots

@testable import Settings

/// The verdicts on the keys of a server's `set`.
@Suite struct ServerSetTests {
  static let texts = TextSnapshot("remote-settings")

  static func read(
    _ set: String, file: String = "", operator: [String: String] = [:], set overrides: [String] = []
  )
    throws -> [String: ServerSet.Verdict]
  {
    try #require(
      try answer("{\"result\":\"ok\",\"set\":\(set)}", file: file, operator: `operator`, set: overrides))
  }

  static func answer(
    _ text: String, file: String = "", operator: [String: String] = [:], set overrides: [String] = []
  ) throws -> [String: ServerSet.Verdict]? {
    let configuration = try LayerTests.read(
      file: "{ \(LayerTests.one) \(file) }", operator: `operator`, set: overrides)
    let set = ServerSet(answer: Array(text.utf8), of: "a", under: configuration)
    return set.map { Dictionary(uniqueKeysWithValues: $0.items.map { ($0.path, $0.verdict) }) }
  }

  static func taken(_ path: String, _ value: String, own: Bool = false) -> ServerSet.Verdict {
    .taken(ServerKey(path, destination: own ? "a" : nil), value: value)
  }

  static let sound: [(set: String, path: String, value: String, isOwn: Bool)] = [
    (#"{"send_interval":"10s"}"#, "send_interval", "10s", true),
    (#"{"send_interval":"off"}"#, "send_interval", "off", true),
    (#"{"trip_mode":"car"}"#, "trip_mode", "car", false),
    (#"{"main":{"batch_size":50}}"#, "main.batch_size", "50", true),
    (#"{"main":{"batch_size":"50"}}"#, "main.batch_size", "50", true),
    (#"{"main":{"batch_size":5e1}}"#, "main.batch_size", "50", true),
    (#"{"main":{"tracking_mode":"off"}}"#, "main.tracking_mode", "off", false),
    (#"{"main":{"visit_tracking":true}}"#, "main.visit_tracking", "true", false),
    (#"{"main":{"visit_tracking":1}}"#, "main.visit_tracking", "true", false),
    (#"{"main":{"visit_tracking":0}}"#, "main.visit_tracking", "false", false),
    (#"{"main":{"visit_tracking":"Yes"}}"#, "main.visit_tracking", "true", false),
    (#"{"main":{"visit_tracking":"1"}}"#, "main.visit_tracking", "true", false),
    (#"{"main":{"visit_tracking":"no"}}"#, "main.visit_tracking", "false", false),
    (#"{"main":{"min_distance":"500m"}}"#, "main.min_distance", "500m", false),
    (#"{"main":{"min_time":"5m"}}"#, "main.min_time", "5m", false),
    (#"{"main":{"resume_with_geofence":"2km"}}"#, "main.resume_with_geofence", "2km", false),
    (#"{"trip":{"prevent_screen_lock":true}}"#, "trip.prevent_screen_lock", "true", false),
    (#"{"trip":{"logging_mode":"owntracks"}}"#, "trip.logging_mode", "owntracks", true),
  ]

  @Test(arguments: sound)
  func everySettingOfTheProtocolIsAccepted(set: String, path: String, value: String, isOwn: Bool) throws {
    #expect(try Self.read(set) == [path: Self.taken(path, value, own: isOwn)])
  }

  static let unsound: [(set: String, path: String, expectedText: String)] = [
    (#"{"main":{"batch_size":5000}}"#, "main.batch_size", "5000"),
    (#"{"main":{"batch_size":0}}"#, "main.batch_size", "got the number 0"),
    (
      #"{"main":{"batch_size":1e400}}"#, "main.batch_size",
      "1 to 1000"
    ),
    (#"{"main":{"visit_tracking":-1e400}}"#, "main.visit_tracking", "true or false"),
    (#"{"main":{"batch_size":"many"}}"#, "main.batch_size", "got \"many\""),
    (#"{"main":{"tracking_mode":null}}"#, "main.tracking_mode", "got null"),
    (#"{"main":{"tracking_mode":2}}"#, "main.tracking_mode", "got the number 2"),
    (#"{"main":{"tracking_mode":"all"}}"#, "main.tracking_mode", "got \"all\""),
    (#"{"main":{"visit_tracking":"maybe"}}"#, "main.visit_tracking", "true or false, got \"maybe\""),
    (#"{"main":{"visit_tracking":[]}}"#, "main.visit_tracking", "got a list"),
    (#"{"send_interval":300}"#, "send_interval", "got the number 300"),
    (#"{"send_interval":"0s"}"#, "send_interval", "got \"0s\""),
    (#"{"send_interval":{}}"#, "send_interval", "got a group"),
    (#"{"trip_mode":"rocket"}"#, "trip_mode", "got \"rocket\""),
    (#"{"main":{"min_time":"-5s"}}"#, "main.min_time", "got \"-5s\""),
  ]

  @Test(arguments: unsound)
  func anInvalidValueIsRejectedWithTheReason(set: String, path: String, expectedText: String) throws {
    guard case .refused(let refusal)? = try Self.read(set)[path] else {
      return #expect(Bool(false), "\(set)")
    }
    let reason = "\(refusal)"
    #expect(reason.contains(expectedText), "\(reason)")
    #expect(reason == Self.texts.expected("invalid: \(set)", reason))
  }

  static let foreign: [(set: String, path: String)] = [
    (#"{"token":"x"}"#, "token"), (#"{"url":"http://e"}"#, "url"), (#"{"device_id":"x"}"#, "device_id"),
    (#"{"tracking":false}"#, "tracking"), (#"{"remote":{"max_silence":"30d"}}"#, "remote"),
    (#"{"storage":{"directory":"/x"}}"#, "storage"), (#"{"mian":{"min_time":"5s"}}"#, "mian"),
    (#"{"destinations":[]}"#, "destinations"), (#"{"main":{"pause_delay":"1s"}}"#, "main.pause_delay"),
    (#"{"main":{"stop_radius":"1m"}}"#, "main.stop_radius"),
    (#"{"main":{"min_distnce":"5m"}}"#, "main.min_distnce"),
    (#"{"main":{"send_interval":"5m"}}"#, "main.send_interval"), (#"{"min_time":"5s"}"#, "min_time"),
    (#"{"main.min_time":"5s"}"#, "\"main.min_time\""),
    (#"{"main.pause_delay":"5s"}"#, "\"main.pause_delay\""), (#"{"main":5}"#, "main"),
    (#"{"trip":{"pause_automatically":true}}"#, "trip.pause_automatically"), ("[]", "set"),
    ("\"x\"", "set"), ("false", "set"),
  ]

  @Test(arguments: foreign)
  func aKeyThatServersCannotChangeIsIgnoredWithTheReason(set: String, path: String) throws {
    guard case .ignored(let reason)? = try Self.read(set)[path] else { return #expect(Bool(false), "\(set)") }
    #expect(reason == Self.texts.expected("ignored: \(set)", reason))
  }

  static let unreadable: [(name: String, text: String)] = [
    ("no value", #"{"set":"#), ("an open bracket", #"{"set":{"a":1}"#),
    ("an open bracket after a NUL", #"{"x":"\u0000","set":{"#),
    ("half a surrogate", #"{"set":{"\ud800":1}}"#),
    (
      "nested too deep",
      #"{"set":"# + String(repeating: "[", count: 500) + String(repeating: "]", count: 500) + "}"
    ),
    (
      "too many values",
      #"{"set":{"# + (0..<10_000).map { "\"k\($0)\":1" }.joined(separator: ",") + "}}"
    ),
    ("too large", #"{"set":{"x":""# + String(repeating: "x", count: 1 << 20) + #""}}"#),
  ]

  @Test(arguments: unreadable)
  func anUnreadableResponseIsIgnoredWithTheReason(name: String, text: String) throws {
    guard case .ignored(let reason)? = try Self.answer(text)?["set"] else {
      return #expect(Bool(false), "\(name)")
    }
    #expect(reason == Self.texts.expected("unreadable: \(name)", reason))
  }

  @Test func validKeysBesideInvalidOnesAreAccepted() throws {
    let verdicts = try Self.read(
      #"{"main":{"min_time":"5s","batch_size":1e999,"min_distance":null,"x":1},"token":"t","send_interval":"1m"}"#
    )
    #expect(verdicts.count == 6)
    #expect(verdicts["main.min_time"] == Self.taken("main.min_time", "5s"))
    #expect(verdicts["send_interval"] == Self.taken("send_interval", "1m", own: true))
  }

  @Test(arguments: [
    #"{"result":"ok"}"#, #"{"result":"ok","set":null}"#, "", "[]", "\"set\"",
    "<html>\"set\"</html>",
  ])
  func aResponseWithoutASetHasNoVerdict(text: String) throws {
    #expect(try Self.answer(text) == nil)
  }

  @Test func lockedSettingsAndThoseOfTheOperatorAreNotChanged() throws {
    let set = #"{"main":{"min_time":"5s","batch_size":50},"send_interval":"1m"}"#
    let locked = try Self.read(set, file: "remote: { locked: ['main'] },")
    guard case .refused(let lock)? = locked["main.min_time"] else { return #expect(Bool(false)) }
    #expect("\(lock)" == Self.texts.expected("locked", "\(lock)"))
    #expect(locked["send_interval"] == Self.taken("send_interval", "1m", own: true))
    guard case .refused(let refusal)? = try Self.read(set, operator: ["main.min_time": "9s"])["main.min_time"]
    else { return #expect(Bool(false)) }
    let reason = "\(refusal)"
    #expect(reason.contains("outrider set --unset main.min_time"))
    #expect(reason == Self.texts.expected("set by the operator", reason))
    guard case .refused(let override)? = try Self.read(set, set: ["main.min_time=9s"])["main.min_time"] else {
      return #expect(Bool(false))
    }
    #expect("\(override)" == Self.texts.expected("set on the command line", "\(override)"))
  }

  @Test func aServerWithoutPermissionChangesNothing() throws {
    let configuration = try LayerTests.read(file: "{ \(LayerTests.two) }")
    let set = ServerSet(answer: Array(#"{"set":{"send_interval":"1m"}}"#.utf8), of: "b", under: configuration)
    #expect(set?.requested == [:])
    #expect(set?.items.map(\.path) == ["set"])
    guard case .ignored(let reason)? = set?.items.first?.verdict else { return #expect(Bool(false)) }
    #expect(reason == Self.texts.expected("without permission", reason))
  }

  @Test(arguments: [99, 100, 101, 4000])
  func validKeysAreAcceptedBesideAnyNumberOfInvalidOnes(count: Int) throws {
    let flood = (0..<count).map { "\"k\($0)\":1" }.joined(separator: ",")
    let set =
      "{\(flood),\"send_interval\":\"1m\",\"main\":{\(flood),\"min_time\":\"5s\",\"batch_size\":9},\"trip_mode\":\"x\"}"
    let answer = Array("{\"set\":\(set)}".utf8)
    let configuration = try LayerTests.read(file: "{ \(LayerTests.one) }")
    let read = try #require(ServerSet(answer: answer, of: "a", under: configuration))
    #expect(
      read.requested.keys.map(\.path).sorted() == ["main.batch_size", "main.min_time", "send_interval"])
    #expect(read.items.count == ServerSet.mostItems)
    guard case .refused? = read.items.first(where: { $0.path == "trip_mode" })?.verdict else {
      return #expect(Bool(false), "the error of a setting is reported")
    }
    for _ in 0..<5 {
      #expect(ServerSet(answer: answer, of: "a", under: configuration) == read, "the same result every time")
    }
  }

  @Test func onlyTheFirstUnknownKeysGetASuggestion() throws {
    let keys = (0..<40).map { "\"main.min_time\(Self.blanks($0))\":1" }.joined(separator: ",")
    let advised = try Self.read("{\(keys)}").values.filter { $0 != .ignored(ServerSet.unknown) }
    #expect(advised.count == ServerSet.mostAdvised)
  }

  static func blanks(_ count: Int) -> String { String(repeating: ".", count: count) }

  @Test func theNumberOfReportedKeysIsLimited() throws {
    let keys = (0..<5000).map { "\"k\($0)\":1" }.joined(separator: ",")
    #expect(try Self.read("{\(keys)}").count <= ServerSet.mostItems)
  }

  @Test(arguments: 0..<50)
  func noResponseTraps(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var bytes = Array(
      #"{"result":"ok","set":{"main":{"min_time":"5s","batch_size":50},"trip_mode":"car"}}"#.utf8)
    for _ in 0..<Int.random(in: 1...8, using: &random) {
      let index = Int.random(in: 0..<bytes.count, using: &random)
      bytes[index] = UInt8.random(in: .min ... .max, using: &random)
    }
    let configuration = try LayerTests.read(file: "{ \(LayerTests.one) }")
    for end in stride(from: 0, through: bytes.count, by: 7) {
      _ = ServerSet(answer: Array(bytes[..<end]), of: "a", under: configuration)
    }
    _ = ServerSet(answer: bytes, of: "a", under: configuration)
  }
}
