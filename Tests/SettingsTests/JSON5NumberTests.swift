import Quantities
import Testing

@testable import Settings

/// No number in any text of settings ends the logger.
@Suite struct JSON5NumberTests {
  static let sound: [(String, Double)] = [
    ("0", 0), ("-0", 0), ("5.", 5), (".5", 0.5), ("-.5", -0.5), ("+5.", 5), ("5.e3", 5000), (".5E+3", 500),
    ("1e-3", 0.001), ("0x1F", 31), ("-0Xff", -255), ("0xFFFFFFFFFFFFFFFF", 18_446_744_073_709_551_616),
    ("111.84681456000001", 111.84681456000001), ("5e-324", .leastNonzeroMagnitude), ("1e-400", 0),
    ("1.7976931348623157e308", .greatestFiniteMagnitude),
    ("Infinity", .infinity), ("+Infinity", .infinity), ("-Infinity", -.infinity),
    ("1e400", .infinity), ("-1.e400", -.infinity), (".5e9999999999999999999", .infinity),
    (String(repeating: "9", count: 64), 1e64),
    (String(repeating: "9", count: 65), .infinity), ("-1." + String(repeating: "0", count: 64), -.infinity),
    ("." + String(repeating: "1", count: 1100), .infinity),
    ("0x" + String(repeating: "f", count: 400), .infinity),
  ]

  static let none = [
    "", "+", "-", ".", "-.", "+-1", "--1", "01", "-01", "00", "1_000", "1e", "1e+", "1e-", "1.e", "5.5.5",
    "1e5e5",
    "1e5.5", "1-2", "1+2", "12a", "2$", "0x", "-0x", "0x-1", "0x1G", "0x1p3", "0x1.8", "0b1", "-Inf", "+N",
    "-x",
    String(repeating: "1", count: 1100) + "e+", String(repeating: "0", count: 1100),
  ]

  static let all = sound.map(\.0) + none

  @Test(arguments: sound)
  func aNumberIsRead(text: String, value: Double) {
    #expect(JSON5Number.read(Array(text.utf8)[...]) == value)
    let signed = text.hasPrefix("-") || text.hasPrefix("+") ? text : "-\(text)"
    #expect(JSON5Number.read(Array(signed.utf8)[...]) == (text == signed ? value : -value))
  }

  @Test func aNaNIsRead() {
    for text in ["NaN", "-NaN", "+NaN"] {
      #expect(JSON5Number.read(Array(text.utf8)[...])?.isNaN == true)
    }
  }

  @Test(arguments: none)
  func anInvalidNumberIsRejected(text: String) {
    #expect(JSON5Number.read(Array(text.utf8)[...]) == nil)
  }

  @Test(arguments: sound)
  func everyNumberIsReadBack(text: String, value: Double) throws {
    let number = try #require(JSON5Number.read(Array(text.utf8)[...]))
    let written = JSONValue.number(number).assigned
    #expect(JSONValue(json5: Array(written.utf8)) == .number(number), "\(written)")
  }

  static let paths = [
    "main.min_time", "main.batch_size", "driving.speed_limit_kmh", "motion.voltage", "zones", "x",
    "device_id",
  ]

  @Test(arguments: all)
  func noNumberEndsTheLogger(number: String) throws {
    for path in ["main.min_time", "driving.speed_limit_kmh", "x"] { try Self.give(number, at: path) }
  }

  /// Texts of other lengths change the heap, so that the bytes after the number differ.
  @Test(arguments: 0..<10)
  func noNumberEndsTheLoggerWithAnyBytesAfterIt(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var kept: [String] = []
    for _ in 0..<20 {
      kept.append(String(repeating: "9", count: Int.random(in: 1...300, using: &random)))
      if kept.count > 10 { kept.remove(at: Int.random(in: 0..<kept.count, using: &random)) }
      let known = Self.all.randomElement(using: &random) ?? ""
      let number = Bool.random(using: &random) ? known : Self.made(&random)
      try Self.give(number, at: Self.paths.randomElement(using: &random) ?? "x")
    }
  }

  /// Passes the number at the path to every function that reads settings.
  private static func give(_ number: String, at path: String) throws {
    let nested = path.split(separator: ".").reversed().reduce(number) { "{\"\($1)\":\($0)}" }
    _ = refusals(file: nested, set: ["\(path)=\(number)"])
    _ = refusals(file: number)
    let read = try LayerTests.read(file: "{ \(LayerTests.one) }", operator: [path: number])
    let sources = ConfigurationSources(fallbacks: Fallbacks(deviceID: "", apiSocket: ""))
    for body in [nested, "{\"\(path)\":\(number)}", number, "[\(number)]"] {
      guard let requested = try? OperatorRequest(json: Array(body.utf8)) else { continue }
      _ = sources.faults(of: requested, over: StoredLayers())
    }
    for answer in ["{\"set\":\(nested)}", "{\"set\":\(number)}", "{\"set\":{\"x\":[\(number)]}}"] {
      _ = ServerSet(answer: Array(answer.utf8), of: "a", under: read)
    }
    _ = SettingsListing(json: Array("{\"settings\":\(number)}".utf8))
  }

  private static func made(_ random: inout SplitMix64) -> String {
    let parts = ["0", "1", "9", "f", "e", "E", "+", "-", ".", "x", "0x", "e+", "Infinity", "NaN", "00000000"]
    return (0..<Int.random(in: 1...40, using: &random)).map { _ in parts.randomElement(using: &random) ?? "" }
      .joined()
  }

  static let long: [(number: String, server: String)] = [
    (String(repeating: "9", count: 1100), "got a number that is too large or too long to read"),
    (
      "1." + String(repeating: "0", count: 33) + "e4000", "got a number that is too large or too long to read"
    ),
    ("1." + String(repeating: "0", count: 80), "got a number that is too large or too long to read"),
    ("1e+", "got null"),
  ]

  @Test(arguments: long)
  func onlyTheInvalidNumberOfAResponseIsIgnored(number: String, server: String) throws {
    let text = #"{"set":{"main":{"min_time":"5s","batch_size":\#(number)},"x":\#(number)}}"#
    let set = try #require(
      ServerSet(
        answer: Array(text.utf8), of: "a", under: try LayerTests.read(file: "{ \(LayerTests.one) }")))
    #expect(set.requested == [ServerKey("main.min_time"): "5s"])
    guard case .refused(let refusal)? = set.items.first(where: { $0.path == "main.batch_size" })?.verdict
    else {
      return #expect(Bool(false), "\(set.items)")
    }
    #expect("\(refusal)".hasSuffix(server), "\(refusal)")
  }
}
