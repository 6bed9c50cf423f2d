import Chips
import Quantities
import SystemLoop

/// A battery gauge on an I²C bus of the kernel, read once a minute by the loop.
public final class GaugeSource {
  /// Called after a reading and when one has become too old.
  public var onCondition: (BatteryCondition) -> Void = { _ in }
  public var onNotice: (GaugeReader.Notice) -> Void = { _ in }

  /// The bus: `/dev/i2c-N`.
  public let path: String
  /// The name that board files use.
  public let name: String
  public let address: I2CAddress
  private let loop: EventLoop
  private var reader: GaugeReader
  private var bus: LinuxI2CBus?
  private var timer: LoopTimer?

  public init(
    loop: EventLoop, path: String, part: GaugePart, address: I2CAddress, wiring: GaugeWiring,
    judge: BatteryJudge
  ) {
    self.loop = loop
    self.path = path
    self.address = address
    name = part.name
    reader = GaugeReader(part: part, address: address, wiring: wiring, judge: judge, now: loop.now)
    timer = loop.addTimer("gauge") { [unowned self] now in step(now: now) }
  }

  deinit { stop() }

  public func start() { arm() }

  public func stop() {
    if let timer { loop.removeTimer(timer) }
    timer = nil
  }

  public var condition: BatteryCondition { reader.condition }
  public var isLost: Bool { reader.isLost }

  private func step(now: Moment) {
    let before = reader.condition
    let notices = reader.step(on: open, now: now)
    // A bus that vanished is opened anew when the gauge is looked for.
    if reader.isLost { bus = nil }
    if reader.condition != before { onCondition(reader.condition) }
    notices.forEach(onNotice)
    arm()
  }

  private func arm() { timer?.arm(at: reader.nextTimeout, slack: reader.tolerance) }

  private func open() throws(I2CError) -> any I2CBus {
    if let bus { return bus }
    do throws(SystemError) {
      let bus = try LinuxI2CBus(path: path)
      self.bus = bus
      return bus
    } catch {
      throw .system(address, errno: error.number)
    }
  }
}
