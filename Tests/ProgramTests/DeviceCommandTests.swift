import Foundation
import Testing

/// The commands about the whole device of a battery unit: `power`, `energy --forecast` and `replay --device`.
@Suite struct DeviceCommandTests {
  private static func json(_ text: String) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any], "\(text)")
  }

  /// Board, starts and hours a day, and mAh a day by hand: cycles, 15 s of work each, standby, receiver and sensors.
  static let plans: [(board: String, plan: String, milliampereHours: ClosedRange<Double>)] = [
    ("field-unit", "24,0", 2850...2870), ("field-unit-witty-pi", "24,0", 74...80),
    ("field-unit-witty-pi", "6,0", 36...40), ("field-unit-latch", "24,0", 46...51),
    ("field-unit-latch", "96,0", 183...190), ("field-unit-witty-pi", "12,2.5", 365...385),
  ]

  @Test(arguments: plans.indices) func theForecastOfAnAverageDayIsItsArithmetic(_ index: Int) throws {
    let row = Self.plans[index]
    let scratch = try Scratch()
    let words = ["energy", "--forecast", "10Ah", "--plan", row.plan, "--board", row.board]
    let outcome = try FaultTests.run(words + ["--json"], in: scratch)
    #expect(outcome.status == 0, "\(outcome.errors)")
    let report = try Self.json(outcome.output)
    let perDay = try #require(report["mAh_per_day"] as? Double)
    #expect(row.milliampereHours.contains(perDay), "\(row.board) \(row.plan): \(perDay)")
    let days = ["days_fewest", "days_likeliest", "days_most"].compactMap { report[$0] as? Double }
    #expect(days.count == 3 && days == days.sorted())
    let text = try FaultTests.run(words, in: scratch)
    #expect(text.status == 0 && text.output.contains("a battery of 10000 mAh lasts"), "\(text.output)")
  }

  static let misuses: [(words: [String], part: String)] = [
    (["energy", "--plan", "24,0"], "--forecast"), (["energy", "--forecast", "10"], "10Ah"),
    (["energy", "--forecast", "-1Ah"], "10Ah"), (["energy", "--forecast", "nanAh"], "10Ah"),
    (["energy", "--forecast", "99999Ah"], "10Ah"),
    (["energy", "--forecast", "1Ah", "--plan", "24"], "12,2.5"),
    (["energy", "--forecast", "1Ah", "--plan", "1441,0"], "1440"),
    (["energy", "--forecast", "1Ah", "--plan", "1,25"], "24 hours"),
    (["energy", "--forecast", "1Ah", "--plan", "-1,nan"], "24 hours"),
    (["replay", "--device", "track.csv"], "--config or --board"),
    (["replay", "--battery", "10Ah", "track.csv"], "--device"),
    (["replay", "--device", "--board", "field-unit", "--battery", "x", "track.csv"], "10Ah"),
    (["replay", "--device", "--board", "field-unit", "--policy", "H", "track.csv"], "--policy"),
  ]

  @Test(arguments: misuses.indices) func aWrongArgumentIsExplained(_ index: Int) throws {
    let row = Self.misuses[index]
    let outcome = try FaultTests.run(row.words, in: try Scratch())
    #expect(outcome.status == 2 && outcome.errors.contains(row.part), "\(row.words): \(outcome.errors)")
  }

  @Test func aReplayCountsTheWholeDevice() throws {
    let scratch = try Scratch()
    let track = scratch.path("still.csv")
    let rows = (0..<60).map { "\(1_774_051_200 + $0),52.5,13.4" }
    try (["t_unix,lat,lon"] + rows).joined(separator: "\n").write(
      toFile: track, atomically: true, encoding: .utf8)
    let words = ["replay", "--device", "--board", "field-unit-witty-pi"]
    let outcome = try FaultTests.run(words + ["--json", track], in: scratch)
    #expect(outcome.status == 0, "\(outcome.errors)")
    let device = try #require(try Self.json(outcome.output)["device"] as? [String: Any])
    let total = try #require(device["mAh_per_day"] as? Double)
    let consumers = try #require(device["consumers"] as? [String: Any])
    let sum = consumers.values.compactMap { $0 as? Double }.reduce(0, +)
    #expect(abs(total - sum) < 0.05 && total < 300, "\(device)")
    let text = try FaultTests.run(words + [track], in: scratch)
    #expect(text.status == 0 && text.output.contains("starts of the host: "), "\(text.output)\(text.errors)")
  }

  @Test func aDeviceWithoutAPowerManagerIsToldSo() throws {
    let scratch = try Scratch()
    let none = try FaultTests.run(["power", "--board", "field-unit"], in: scratch)
    #expect(none.status == 1 && none.errors.contains("no power_manager is configured"), "\(none.errors)")
    let absent = try FaultTests.run(
      ["power", "--set", #"power_manager={ chip: "pijuice", bus: "/dev/i2c-none" }"#], in: scratch)
    #expect(
      absent.status == 1 && absent.errors.contains("pijuice at 0x14 on /dev/i2c-none"), "\(absent.errors)")
    let latch = try FaultTests.run(["power", "--board", "field-unit-latch"], in: scratch)
    #expect(latch.status == 1 && latch.errors.contains("gpio-poweroff"), "\(latch.errors)")
  }
}
