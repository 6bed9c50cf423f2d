import Chips
import Devices
import LoggerConfiguration
import Quantities
import Records
import Settings
import Testing
import TextSnapshots
import Tracking
@testable import Daemon

@Suite struct BatterySupplyTests {
  @Test(arguments: [
    ("supply: 'battery', gauge: { chip: 'ina219', bus: '/b', cells: 3, capacity_mAh: 5000 }", 3, 5000.0),
    ("supply: 'battery', gauge: { power_supply: 'BAT0', cells: 4 }", 4, nil),
    ("supply: 'battery', gauge: { power_supply: 'BAT0' }", 1, nil), ("supply: 'battery'", 1, nil),
    // If supply is not configured, a gauge that reports a charge is used.
    ("gauge: { power_supply: 'BAT0', cells: 2 }", 2, nil), ("gauge: { chip: 'max17048', bus: '/b' }", 1, nil),
  ])
  func theBatteryIsValidatedByItsCells(_ row: (board: String, cells: Int, capacity: Double?)) throws {
    let text = SourceText(name: "b", bytes: Array("{ title: 'x', \(row.board) }".utf8))
    let board = try Configuration.read(
      board: text, file: nil, overrides: [], fallbacks: Fallbacks(deviceID: "", apiSocket: ""))
    #expect(BatteryRules.Supply(board) == .battery(cells: row.cells, capacity: row.capacity))
  }

  @Test(arguments: [
    "supply: 'mains', gauge: { power_supply: 'BAT0' }", "supply: 'vehicle', gauge: { power_supply: 'BAT0' }",
    "gauge: { chip: 'ina219', bus: '/b', cells: 3 }", "",
  ])
  func configuredMainsOrAPowerMonitorAloneReportNoBattery(board: String) throws {
    let text = SourceText(name: "b", bytes: Array("{ title: 'x', \(board) }".utf8))
    let board = try Configuration.read(
      board: text, file: nil, overrides: [], fallbacks: Fallbacks(deviceID: "", apiSocket: ""))
    #expect(BatteryRules.Supply(board) == .vehicle && !board.isGaugeBelieved)
  }

  @Test func theVoltageRangeIsThatOfTheSettings() throws {
    let configuration = try PowerTests.configuration(["power.under_V=11.5", "power.over_V=15"])
    #expect(BatteryRules(configuration).range == SupplyRange(least: 11.5, most: 15))
    #expect(BatteryRules(try PowerTests.configuration()).range == SupplyRange(least: nil, most: nil))
    #expect(throws: SettingsErrors.self) {
      try PowerTests.configuration(["power.under_V=15", "power.over_V=11.5"])
    }
  }

  @Test(arguments: [1, 2])
  func anImplausibleVoltageNamesTheSetting(_ cells: Int) throws {
    let gauge = PowerSupplyGauge(name: "BAT0")
    let event = EventRecord(
      .battery(.voltageDoesNotFit(voltage: 7.801, cells: cells)), of: gauge.location)
    #expect(event.kind == .gaugeDoubtful)
    #expect(event.fields.number(.cells) == Int64(cells) && event.fields.number(.voltage) == 7801)
    let name = "gauge_doubtful \(cells) cells"
    #expect(event.line == TextSnapshot("events").expected(name, event.line))
  }

  /// As the example of the protocol with 0.299; a battery is not reported as full before it is.
  @Test(
    arguments: [
      (29.9, 29), (0.99, 0), (99.99, 99), (29.0, 29), (0, 0), (100, 100), (104.5, 100), (-3, 0), (nil, nil),
      (Double.nan, nil),
    ] as [(Double?, UInt8?)])
  func aRecordHasTheChargeTruncatedToWholePercent(reported: Double?, recorded: UInt8?) {
    var condition = BatteryCondition()
    condition.percent = reported
    #expect(Battery(condition).percent == recorded)
  }
}
