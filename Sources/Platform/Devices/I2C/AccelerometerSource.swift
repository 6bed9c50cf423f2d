import Chips
import EventLoop
import Quantities
import System

/// An accelerometer on an I²C bus, operated by the loop: read in bursts, or by its interrupt line.
public final class AccelerometerSource {
  public var onNotice: (AccelerometerNotice, Moment) -> Void = { _, _ in }
  /// Called if the interrupt line cannot be opened; the accelerometer is then polled.
  public var onLineRefused: (SystemError) -> Void = { _ in }

  public let location: PartLocation
  private let address: I2CAddress
  private let loop: EventLoop
  private let openBus: BusOpening
  private let wiring: LineWiring?
  private var reader: AccelerometerReader
  private var bus: (any I2CBus)?
  private var line: InputLine?
  private var timer: LoopTimer?

  /// Creates the source. `path`: `/dev/i2c-N`. `interrupt` is the line that the interrupt output is wired to;
  /// nil if not wired.
  public init(
    loop: EventLoop, path: String, part: AccelerometerPart, address: I2CAddress, interrupt: LineWiring?,
    openBus: @escaping BusOpening = LinuxI2CBus.opening(_:for:)
  ) {
    self.loop = loop
    location = PartLocation(name: part.name, path: path, address: address)
    self.address = address
    self.openBus = openBus
    wiring = interrupt
    reader = AccelerometerReader(part: part, address: address, hasLine: interrupt != nil, now: loop.now)
    timer = loop.addTimer("accelerometer") { [unowned self] now in step(.deadline, now: now) }
    loop.everyTurn { [weak self] now in self?.pass(now: now) }
  }

  deinit { stop() }

  public func start() {
    openLine()
    arm()
  }

  /// Powers the accelerometer down, so that its interrupt does not start the host. The next ``start()``, also in another run,
  /// operates it again. Errors are ignored: at worst the host starts early.
  public func powerDown(now: Moment) {
    setDesiredMode(.nothing, now: now)
    step(.deadline, now: now)
  }

  public func stop() {
    if let timer { loop.removeTimer(timer) }
    timer = nil
    closeLine()
  }

  public func setDesiredMode(_ mode: DesiredAccelerometerMode, now: Moment) {
    reader.setDesiredMode(mode, now: now)
    arm()
  }

  /// State of the accelerometer reader, for status reports.
  public var condition: AccelerometerReader { reader }

  /// True if the accelerometer does not answer and was reported as lost.
  public var isLost: Bool { reader.isLost }

  private func openLine() {
    guard let wiring else { return }
    do throws(SystemError) {
      line = try InputLine(loop: loop, wiring: wiring) { [unowned self] report, now in
        switch report {
        case .level(let isActive): if isActive { step(.line, now: now) }
        case .gone: loseLine(now: now)
        }
      }
    } catch {
      reader.loseLine(now: loop.now)
      onLineRefused(error)
    }
  }

  private func loseLine(now: Moment) {
    closeLine()
    guard reader.hasLine else { return }
    reader.loseLine(now: now)
    arm()
    onNotice(.lineUnusable(.gone), now)
  }

  private func closeLine() {
    line?.stop()
    line = nil
  }

  /// Uses a wake-up that another task caused.
  private func pass(now: Moment) {
    guard timer != nil, let check = reader.nextCheck, check <= now else { return }
    step(.passing, now: now)
  }

  private func step(_ cause: AccelerometerReader.Cause, now: Moment) {
    let line = line
    let notices = reader.step(on: open, cause: cause, line: { line?.isActive }, now: now)
    // A bus that vanished is reopened when the accelerometer is probed again.
    if reader.isLost { bus = nil }
    arm()
    for notice in notices { onNotice(notice, now) }
    if !reader.hasLine { closeLine() }
  }

  /// Arms the timer. Work that is due now, such as the remainder of a long FIFO, is done in the next loop iteration,
  /// after its descriptors.
  private func arm() {
    let soonest = loop.now + Self.shortestPause
    timer?.arm(at: reader.nextTimeout.map { max($0, soonest) }, slack: reader.tolerance)
  }

  private static let shortestPause = Duration.milliseconds(1)

  private func open() throws(I2CError) -> any I2CBus {
    if let bus { return bus }
    let bus = try openBus(location.path, address)
    self.bus = bus
    return bus
  }
}
