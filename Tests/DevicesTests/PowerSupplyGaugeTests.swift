import Chips
import EventLoop
import Foundation
import Quantities
import System
import TestSupport
import Testing
import Devices

/// A battery of the kernel, as a directory of files, on a simulated clock.
@Suite final class PowerSupplyGaugeTests {
  private let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
  private var now = Moment.zero
  private var notices: [GaugeReader<PowerSupplyGauge>.Notice] = []
  private lazy var reader = GaugeReader(
    PowerSupplyGauge(name: "BAT0", in: directory.path), monitor: BatteryMonitor(measuring: .battery()),
    now: now)

  deinit { try? FileManager.default.removeItem(at: directory) }

  private var uevent: URL { directory.appendingPathComponent("BAT0/uevent") }

  private static let discharging = """
    DEVTYPE=power_supply
    POWER_SUPPLY_NAME=BAT0
    POWER_SUPPLY_TYPE=Battery
    POWER_SUPPLY_STATUS=Discharging
    POWER_SUPPLY_VOLTAGE_NOW=3870000
    POWER_SUPPLY_CURRENT_NOW=-120000
    POWER_SUPPLY_CAPACITY=62
    POWER_SUPPLY_TEMP=213

    """

  private func show(_ text: String) throws {
    try FileManager.default.createDirectory(
      at: uevent.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: uevent)
  }

  private func run(_ duration: Duration) {
    let end = now + duration
    while reader.nextTimeout < end {
      now = max(now, reader.nextTimeout)
      notices += reader.step(now: now)
    }
    now = end
  }

  private var losses: [PowerSupplyFailure] {
    notices.compactMap { if case .lost(let failure) = $0 { failure } else { nil } }
  }

  private var returns: Int {
    notices.count(where: { if case .returned = $0 { true } else { false } })
  }

  @Test func theBatteryIsReadOnceAMinuteWithinAQuarter() throws {
    try show(Self.discharging)
    notices += reader.step(now: now)
    #expect(reader.nextTimeout == now + .seconds(60) && reader.tolerance == .seconds(15))
    let condition = reader.condition
    #expect(condition.state == .unplugged && condition.percent == 62 && condition.voltage == 3.87)
    #expect(condition.current == BatteryCurrent(milliamperes: -120, source: .measured))
    #expect(condition.temperature == 21.3 && condition.temperatureSource == .battery)
    try show(Self.discharging.replacingOccurrences(of: "CAPACITY=62", with: "CAPACITY=61"))
    run(.seconds(61))
    #expect(reader.condition.percent == 61 && notices.isEmpty)
  }

  @Test func aVanishedSupplyIsReportedOnceWithItsFileAndFoundAgain() throws {
    try show(Self.discharging)
    run(.seconds(300))
    try FileManager.default.removeItem(at: uevent.deletingLastPathComponent())
    run(.seconds(3600))
    let gone = SystemError(call: "open", subject: uevent.path, number: ENOENT)
    #expect(losses == [.file(.system(gone))])
    #expect(reader.loss?.failure == .file(.system(gone)))
    #expect(reader.condition.percent == nil && reader.condition.state == .unknown)
    try show(Self.discharging)
    run(.seconds(600))
    #expect(returns == 1 && losses.count == 1 && reader.loss == nil && reader.condition.percent == 62)
  }

  @Test func aSupplyThatReturnsDuringTheRetriesIsNotReported() throws {
    try show(Self.discharging)
    run(.seconds(30))
    try FileManager.default.removeItem(at: uevent)
    now = reader.nextTimeout
    notices += reader.step(now: now)
    try show(Self.discharging)
    run(.seconds(60))
    #expect(notices.isEmpty && reader.condition.percent == 62)
  }

  static let texts: [(String, @Sendable (String) -> PowerSupplyFailure)] = [
    ("", { .noAnswer(path: $0) }), ("DEVTYPE=power_supply\n", { noUevent($0, "DEVTYPE=power_supply.") }),
    ("\u{0}\u{7F}caf\u{E9}", { noUevent($0, "..caf..") }),
    (String(repeating: "x", count: 100), { noUevent($0, String(repeating: "x", count: 40)) }),
    ("POWER_SUPPLY_NAME=BAT0\nPOWER_SUPPLY_TYPE=Mains", { .noBattery(path: $0, type: "Mains") }),
    ("POWER_SUPPLY_NAME=BAT0\nPOWER_SUPPLY_SCOPE=Device", { .ofPeripheral(path: $0) }),
    ("POWER_SUPPLY_NAME=BAT0\nPOWER_SUPPLY_PRESENT=0", { .absent(path: $0) }),
    (
      String(repeating: "POWER_SUPPLY_NAME=BAT0\n", count: 200),
      { .file(.system(SystemError(call: "read", subject: $0, number: EFBIG))) }
    ),
  ]

  private static func noUevent(_ path: String, _ beginning: String) -> PowerSupplyFailure {
    .noUevent(path: path, beginning: beginning)
  }

  @Test(arguments: texts.indices) func aFileThatIsNoBatteryIsAFaultWithEvidence(_ index: Int) throws {
    let (text, expected) = Self.texts[index]
    try show(text)
    run(.seconds(10))
    #expect(losses == [expected(uevent.path)])
    let words = try #require(losses.first).description
    #expect(words.contains(uevent.path), "\(words)")
  }

  @Test func aDirectoryInPlaceOfTheFileIsAFault() throws {
    try FileManager.default.createDirectory(at: uevent, withIntermediateDirectories: true)
    run(.seconds(10))
    #expect(losses == [.file(.notRegular(path: uevent.path, kind: .directory))])
  }

  @Test func theLoopReadsItAndReportsItsState() throws {
    try show(Self.discharging)
    let loop = try EventLoop()
    let source = GaugeSource(
      loop: loop, gauge: PowerSupplyGauge(name: "BAT0", in: directory.path),
      monitor: BatteryMonitor(measuring: .battery()))
    var conditions: [BatteryCondition] = []
    source.onCondition = {
      conditions.append($0)
      loop.stop()
    }
    source.start()
    #expect(try loop.runUntilStopped())
    #expect(conditions.map(\.percent) == [62])
    #expect(source.snapshot.condition == conditions.first && source.snapshot.loss == nil)
    #expect(source.snapshot.lastReading != nil)
    #expect(source.location.words == "BAT0 in \(directory.path)" && source.location.address == nil)
    source.stop()
  }

  @Test func theLoopReportsALossAsText() throws {
    let loop = try EventLoop()
    let source = GaugeSource(
      loop: loop, gauge: PowerSupplyGauge(name: "BAT0", in: directory.path),
      monitor: BatteryMonitor(measuring: .battery()))
    var reported: [GaugeSource.Notice] = []
    source.onNotice = {
      reported.append($0)
      loop.stop()
    }
    source.start()
    #expect(try loop.runUntilStopped())
    let words = try #require(source.snapshot.loss)
    #expect(reported == [.lost(words)])
    #expect(words.contains("\(uevent.path): open: No such file or directory"), "\(words)")
    source.stop()
  }
}
