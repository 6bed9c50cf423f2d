import Foundation
import Testing

extension FaultTests {
  @Test func aFuelGaugeWithoutABusIsReportedAndLoggingContinues() throws {
    let bench = try LoggerBench(
      url: nil, extra: #"supply: "battery", gauge: { chip: "max17048", bus: "/dev/i2c-none" }"#)
    try bench.start()
    #expect(eventually(within: .seconds(20)) { !bench.events("gauge_lost").isEmpty })
    let detail = bench.events("gauge_lost").first ?? ""
    #expect(detail.contains("max17048 at 0x36 ") && detail.contains("/dev/i2c-none"), "\(detail)")
    #expect(detail == Self.texts.expected("gauge_lost: no bus", detail))
    #expect(bench.events("gauge_lost").count == 1)
    #expect(bench.stopsInGoodOrder())
  }

  @Test func aMissingPowerSupplyOfTheKernelIsReportedAndShownAsUnknown() throws {
    let bench = try LoggerBench(
      url: nil, extra: #"supply: "battery", gauge: { power_supply: "no-such-battery" }"#)
    try bench.start()
    #expect(bench.hasEvent("gauge_lost"))
    let file = "/sys/class/power_supply/no-such-battery/uevent"
    let detail = bench.events("gauge_lost").first ?? ""
    #expect(detail.contains("\(file): open: No such file or directory"), "\(detail)")
    let report = try #require(try Self.status(of: bench)["battery"] as? [String: Any])
    let gauge = try #require(report["gauge"] as? [String: Any])
    #expect(gauge["name"] as? String == "no-such-battery" && gauge["is_lost"] as? Bool == true)
    #expect((gauge["trouble"] as? String)?.contains(file) == true && gauge["address"] == nil)
    #expect(report["percent"] == nil && report["state"] == nil && report["age_s"] == nil)
    let words = ["status", "--config", bench.scratch.path("config.json5")]
    let text = try Self.run(words, in: bench.scratch).output
    let battery = try #require(text.split(separator: "\n").first { $0.hasPrefix("battery ") }, "\(text)")
    #expect(!battery.contains("%"), "\(battery)")
    let row = try #require(text.split(separator: "\n").first { $0.hasPrefix("fuel gauge ") }, "\(text)")
    #expect(row.contains("no-such-battery of /sys/class/power_supply") && row.contains(file), "\(row)")
    #expect(bench.stopsInGoodOrder())
  }

  @Test func aBatteryWithoutFuelGaugeIsShownAsUnknown() throws {
    let bench = try LoggerBench(url: nil, extra: #"supply: "battery""#)
    try bench.start()
    let words = ["status", "--config", bench.scratch.path("config.json5")]
    func row() throws -> String? {
      try Self.run(words, in: bench.scratch).output.split(separator: "\n").first {
        $0.hasPrefix("battery ")
      }.map { String($0.dropFirst("battery".count).drop { $0 == " " }) }
    }
    #expect(try eventually(within: .seconds(20)) { try row() != nil })
    let text = try #require(try row())
    #expect(text == Self.texts.expected("battery without fuel gauge", text))
    let battery = try Self.status(of: bench)["battery"] as? [String: Any]
    #expect(battery?.isEmpty == true)
    #expect(bench.stopsInGoodOrder())
  }
}
