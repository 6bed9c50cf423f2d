import Chips
import Devices
import LocalAPI
import Quantities
import Testing
import TextSnapshots

@testable import Daemon

/// The battery in the status: what is unknown is absent.
@Suite struct StatusBatteryTests {
  private static let location = PartLocation(
    name: "max17048", path: "/dev/i2c-1", address: I2CAddress(0x36))

  private func battery(
    lastReading: Moment? = Moment.zero + .seconds(30), loss: String? = nil,
    _ change: (inout BatteryCondition) -> Void
  ) -> StatusReport.Battery {
    var condition = BatteryCondition()
    change(&condition)
    return StatusReport.Battery(
      GaugeSource.Snapshot(condition: condition, lastReading: lastReading, loss: loss), of: Self.location,
      now: .zero + .seconds(42))
  }

  @Test func readingsOfTheGaugeAreShown() {
    let shown = battery {
      ($0.state, $0.percent, $0.doubt) = (.charging, 80.04, nil)
      ($0.voltage, $0.rate) = (3.90049, 12.34)
      $0.current = BatteryCurrent(milliamperes: 120.26, source: .measured)
      ($0.temperature, $0.temperatureSource) = (21.35, .die)
    }
    #expect(shown.state == "charging" && shown.percent == 80 && shown.percent_doubt == nil)
    #expect(shown.voltage_V == 3.9 && shown.rate_percent_h == 12.3)
    #expect(shown.current_mA == 120.3 && shown.current_source == "measured")
    #expect(shown.temperature_of == "die" && shown.age_s == 12)
    #expect(
      shown.gauge
        == StatusReport.Gauge(name: "max17048", path: "/dev/i2c-1", address: "0x36", trouble: nil))
    #expect(shown.gauge?.is_lost == false)
  }

  @Test func aModelledCurrentIsMarked() {
    let shown = battery { $0.current = BatteryCurrent(milliamperes: -40, source: .estimated) }
    #expect(shown.current_mA == -40 && shown.current_source == "modelled")
  }

  @Test func aLostGaugeIsShownWithTheReasonOnly() throws {
    let shown = battery(lastReading: nil, loss: "does not answer") { _ in }
    #expect(shown.gauge?.is_lost == true && shown.gauge?.trouble == "does not answer")
    #expect(shown.state == nil && shown.percent == nil && shown.voltage_V == nil && shown.age_s == nil)
    #expect(shown.current_mA == nil && shown.current_source == nil && shown.rate_percent_h == nil)
    #expect(shown.temperature_C == nil && shown.temperature_of == nil)
    #expect(shown.percent_doubt == nil)
    let doubt = try #require(battery { _ in }.percent_doubt)
    #expect(doubt == TextSnapshot("daemon").expected("charge that the gauge does not report", doubt))
  }

  @Test func theReportSurvivesItsJSON() throws {
    var report = StatusReport(
      version: "1", deviceID: "van", running: true,
      log: StatusReport.Log(directory: "/d", lastID: 1, waiting: 0, trouble: nil), destinations: [])
    report.battery = battery { ($0.state, $0.percent) = (.unplugged, 61.5) }
    let json = try #require(report.json)
    #expect(StatusReport(json: json) == report)
    let text = String(decoding: json, as: UTF8.self)
    #expect(text.contains(#""address":"0x36""#) && text.contains(#""state":"unplugged""#), "\(text)")
    #expect(!text.contains("voltage_V") && !text.contains("trouble"), "\(text)")
  }
}
