import Foundation
import Testing

extension FaultTests {
  @Test func aGaugeWithoutABusIsSaidAndTheLoggerGoesOn() throws {
    let bench = try LoggerBench(
      url: nil, extra: #"supply: "battery", gauge: { chip: "max17048", bus: "/dev/i2c-none" }"#)
    try bench.start()
    #expect(eventually(within: .seconds(20)) { !bench.events("gauge_lost").isEmpty })
    let detail = bench.events("gauge_lost").first ?? ""
    #expect(detail.contains("max17048 at 0x36 on /dev/i2c-none"), "\(detail)")
    #expect(detail.contains("no such bus"), "\(detail)")
    #expect(detail.contains("the last charge stands until it is too old"), "\(detail)")
    #expect(bench.events("gauge_lost").count == 1)
    #expect(bench.stopsInGoodOrder())
  }

  @Test func aBatteryThatTheKernelDoesNotHaveIsSaidAndShownAsUnknown() throws {
    let bench = try LoggerBench(
      url: nil, extra: #"supply: "battery", gauge: { power_supply: "no-such-battery" }"#)
    try bench.start()
    #expect(bench.hasEvent("gauge_lost"))
    let file = "/sys/class/power_supply/no-such-battery/uevent"
    let detail = bench.events("gauge_lost").first ?? ""
    #expect(detail.contains("\(file): open: No such file or directory"), "\(detail)")
    let battery = try #require(try Self.status(of: bench)["battery"] as? [String: Any])
    let gauge = try #require(battery["gauge"] as? [String: Any])
    #expect(gauge["name"] as? String == "no-such-battery" && gauge["is_lost"] as? Bool == true)
    #expect((gauge["trouble"] as? String)?.contains(file) == true && gauge["address"] == nil)
    #expect(battery["percent"] == nil && battery["state"] == nil && battery["age_s"] == nil)
    let words = ["status", "--config", bench.scratch.path("config.json5")]
    let text = try Self.run(words, in: bench.scratch).output
    #expect(text.contains("state unknown, charge unknown"), "\(text)")
    #expect(text.contains("no-such-battery of /sys/class/power_supply, lost: \(file)"), "\(text)")
    #expect(text.contains("not read yet"), "\(text)")
    #expect(bench.stopsInGoodOrder())
  }

  @Test func aBatteryWithoutGaugeIsShownAsUnknown() throws {
    let bench = try LoggerBench(url: nil, extra: #"supply: "battery""#)
    try bench.start()
    let words = ["status", "--config", bench.scratch.path("config.json5")]
    #expect(
      eventually(within: .seconds(20)) {
        (try? Self.run(words, in: bench.scratch).output.contains("unknown, there is no gauge")) == true
      })
    let battery = try Self.status(of: bench)["battery"] as? [String: Any]
    #expect(battery?.isEmpty == true)
    #expect(bench.stopsInGoodOrder())
  }
}
