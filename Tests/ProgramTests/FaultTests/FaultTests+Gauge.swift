import Foundation
import Testing

extension FaultTests {
  @Test func aGaugeWithoutABusIsSaidAndTheLoggerGoesOn() throws {
    let bench = try LoggerBench(
      url: nil, extra: #"supply: "battery", gauge: { chip: "max17048", bus: "/dev/i2c-none" }"#)
    try bench.start()
    #expect(eventually(within: .seconds(20)) { !bench.events("gauge_lost").isEmpty })
    let detail = bench.events("gauge_lost").first ?? ""
    #expect(detail.contains("max17048 at 0x36 of /dev/i2c-none"), "\(detail)")
    #expect(detail.contains("no such bus"), "\(detail)")
    #expect(detail.contains("the last charge stands until it is too old"), "\(detail)")
    #expect(bench.events("gauge_lost").count == 1)
    #expect(bench.stopsInGoodOrder())
  }
}
