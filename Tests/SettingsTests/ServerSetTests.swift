import Quantities
import Testing

@testable import Settings

/// What a server's `set` comes to, key by key.
@Suite struct ServerSetTests {
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
  func whatTheProtocolKnowsIsTaken(set: String, path: String, value: String, isOwn: Bool) throws {
    #expect(try Self.read(set) == [path: Self.taken(path, value, own: isOwn)])
  }

  static let unsound: [(set: String, path: String, says: String)] = [
    (#"{"main":{"batch_size":5000}}"#, "main.batch_size", "from 1 to 1000, got the number 5000"),
    (#"{"main":{"batch_size":0}}"#, "main.batch_size", "got the number 0"),
    (
      #"{"main":{"batch_size":1e400}}"#, "main.batch_size",
      "got a number that is too large or too long to read"
    ),
    (
      #"{"main":{"visit_tracking":-1e400}}"#, "main.visit_tracking",
      "got a number that is too large or too long to read"
    ),
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
  func aWrongValueIsRefusedWithItsReason(set: String, path: String, says: String) throws {
    guard case .refused(let reason)? = try Self.read(set)[path] else { return #expect(Bool(false), "\(set)") }
    #expect(reason.contains(says), "\(reason)")
  }

  static let foreign: [(set: String, path: String, says: String)] = [
    (#"{"token":"x"}"#, "token", "no server changes it"),
    (#"{"url":"http://e"}"#, "url", "no server changes it"),
    (#"{"device_id":"x"}"#, "device_id", "no server changes it"),
    (#"{"tracking":false}"#, "tracking", "no server changes it"),
    (#"{"remote":{"max_silence":"30d"}}"#, "remote", "no server changes it"),
    (#"{"storage":{"directory":"/x"}}"#, "storage", "no server changes it"),
    (#"{"mian":{"min_time":"5s"}}"#, "mian", "unknown setting; did you mean main?"),
    (#"{"destinations":[]}"#, "destinations", "no server changes it"),
    (#"{"main":{"pause_delay":"1s"}}"#, "main.pause_delay", "no server changes it"),
    (#"{"main":{"stop_radius":"1m"}}"#, "main.stop_radius", "unknown setting"),
    (
      #"{"main":{"min_distnce":"5m"}}"#, "main.min_distnce",
      "unknown setting; did you mean main.min_distance?"
    ),
    (
      #"{"main":{"send_interval":"5m"}}"#, "main.send_interval",
      "unknown setting; did you mean send_interval?"
    ),
    (#"{"min_time":"5s"}"#, "min_time", "unknown setting; did you mean main.min_time or trip.min_time?"),
    (
      #"{"main.min_time":"5s"}"#, "\"main.min_time\"",
      #"unknown setting; write it as {"main": {"min_time": …}}"#
    ),
    (#"{"main.pause_delay":"5s"}"#, "\"main.pause_delay\"", "unknown setting"),
    (#"{"main":5}"#, "main", "expected a group of settings, got a number"),
    (#"{"trip":{"pause_automatically":true}}"#, "trip.pause_automatically", "no server changes it"),
    ("[]", "set", "expected a group of settings, got a list"), ("\"x\"", "set", "got a text"),
    ("false", "set", "got true or false"),
  ]

  @Test(arguments: foreign)
  func whatIsNoServersBusinessIsIgnoredWithANote(set: String, path: String, says: String) throws {
    guard case .ignored(let reason)? = try Self.read(set)[path] else { return #expect(Bool(false), "\(set)") }
    #expect(reason.contains(says), "\(reason)")
  }

  static let unreadable: [(text: String, reason: String)] = [
    (#"{"set":"#, "it is no JSON (byte 7: expected a value, got the end)"),
    (#"{"set":{"a":1}"#, "it is no JSON (byte 0: this { is never closed)"),
    (#"{"x":"\u0000","set":{"#, "it is no JSON (byte 20: this { is never closed)"),
    (#"{"set":{"\ud800":1}}"#, "it is no JSON (byte 8: this number, escape or key cannot be read)"),
    (
      #"{"set":"# + String(repeating: "[", count: 500) + String(repeating: "]", count: 500) + "}",
      "brackets stand deeper than 32 in each other"
    ),
    (
      #"{"set":{"# + (0..<10_000).map { "\"k\($0)\":1" }.joined(separator: ",") + "}}",
      "more than 10000 values"
    ),
    (#"{"set":{"x":""# + String(repeating: "x", count: 1 << 20) + #""}}"#, "more than 1048576 bytes"),
  ]

  @Test(arguments: unreadable)
  func whatCannotBeReadIsIgnoredWithItsReason(text: String, reason: String) throws {
    #expect(try Self.answer(text)?["set"] == .ignored("the answer cannot be read: \(reason)"))
  }

  @Test func goodKeysBesideBadOnesAreTaken() throws {
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
  func anAnswerWithoutASetSaysNothing(text: String) throws {
    #expect(try Self.answer(text) == nil)
  }

  @Test func whatIsLockedOrTheOperatorsStays() throws {
    let set = #"{"main":{"min_time":"5s","batch_size":50},"send_interval":"1m"}"#
    let locked = try Self.read(set, file: "remote: { locked: ['main'] },")
    #expect(locked["main.min_time"] == .refused("it is locked here (remote.locked)"))
    #expect(locked["send_interval"] == Self.taken("send_interval", "1m", own: true))
    guard case .refused(let reason)? = try Self.read(set, operator: ["main.min_time": "9s"])["main.min_time"]
    else { return #expect(Bool(false)) }
    #expect(reason.contains("outrider set --unset main.min_time"))
    guard case .refused? = try Self.read(set, set: ["main.min_time=9s"])["main.min_time"] else {
      return #expect(Bool(false))
    }
  }

  @Test func aDestinationThatMayNotSetIsNotObeyed() throws {
    let configuration = try LayerTests.read(file: "{ \(LayerTests.two) }")
    let set = ServerSet(answer: Array(#"{"set":{"send_interval":"1m"}}"#.utf8), of: "b", under: configuration)
    #expect(set?.wishes == [:])
    #expect(set?.items.map(\.path) == ["set"])
  }

  @Test(arguments: [99, 100, 101, 4000])
  func goodKeysAreTakenHoweverManyBadOnesStandBesideThem(count: Int) throws {
    let flood = (0..<count).map { "\"k\($0)\":1" }.joined(separator: ",")
    let set =
      "{\(flood),\"send_interval\":\"1m\",\"main\":{\(flood),\"min_time\":\"5s\",\"batch_size\":9},\"trip_mode\":\"x\"}"
    let answer = Array("{\"set\":\(set)}".utf8)
    let configuration = try LayerTests.read(file: "{ \(LayerTests.one) }")
    let read = try #require(ServerSet(answer: answer, of: "a", under: configuration))
    #expect(read.wishes.keys.map(\.path).sorted() == ["main.batch_size", "main.min_time", "send_interval"])
    #expect(read.items.count == ServerSet.mostItems)
    guard case .refused? = read.items.first(where: { $0.path == "trip_mode" })?.verdict else {
      return #expect(Bool(false), "what is wrong with a setting is told")
    }
    for _ in 0..<5 {
      #expect(ServerSet(answer: answer, of: "a", under: configuration) == read, "each time the same")
    }
  }

  @Test func aFloodOfSlipsIsToldTheRemedyOfTheFirst() throws {
    let keys = (0..<40).map { "\"main.min_time\(Self.blanks($0))\":1" }.joined(separator: ",")
    let told = try Self.read("{\(keys)}").values.filter { $0 != .ignored(ServerSet.unknown) }
    #expect(told.count == ServerSet.mostAdvised)
  }

  static func blanks(_ count: Int) -> String { String(repeating: ".", count: count) }

  @Test func aFloodOfKeysIsCutShort() throws {
    let keys = (0..<5000).map { "\"k\($0)\":1" }.joined(separator: ",")
    #expect(try Self.read("{\(keys)}").count <= ServerSet.mostItems)
  }

  @Test(arguments: 0..<50)
  func noAnswerTraps(seed: UInt64) throws {
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
