import Chips
import DaySupport
import Devices
import Motion
import Quantities
import Records
import Scheduling
import Simulation
import Tracking
@testable import Daemon

/// The I²C bus of a device for a day, with gauge and accelerometer if fitted, and their use by the logger.
final class DayChips: DayCompanion {
  let bus = VirtualBus(now: .zero + .seconds(100))
  /// True while the loop is blocked: nothing is read.
  var blockedPeriods: [Range<Moment>] = []
  private(set) var condition = BatteryCondition()
  private var gauge: GaugeReader<PartGauge>?
  private var accelerometer: AccelerometerReader?
  private var motion = MotionMonitor(now: .zero + .seconds(100))
  private var events: [TrackerEvent] = []

  private static let gaugeLocation = PartLocation(name: "max17048", path: "/dev/i2c-1")
  private static let accelerometerLocation = PartLocation(name: "lis3dh", path: "/dev/i2c-1")

  /// `cell` is the input of a MAX17048; with `isGaugeThere` false, the configured gauge is not fitted. `body` is the
  /// acceleration at a LIS3DH, by seconds since the start of the day.
  init(
    cell: CellTrack? = nil, isGaugeThere: Bool = true,
    body: [(from: Double, activity: AccelerationTrack.Activity)]? = nil
  ) {
    let start = bus.now
    let bus = bus
    if let part = GaugePart.named("max17048"), let address = part.addresses.first, let cell {
      var cell = cell
      cell.start = start
      if isGaugeThere { bus.attach(VirtualMAX17048(track: cell), at: address) }
      let connection = PartGauge(part: part, address: address, wiring: GaugeWiring()) { () throws(I2CError) in
        bus
      }
      gauge = GaugeReader(connection, monitor: BatteryMonitor(measuring: .battery()), now: start)
      events.append(.battery(Battery(state: .unknown, percent: nil)))
    }
    if let part = AccelerometerPart.named("lis3dh"), let address = part.addresses.first, let body {
      var track = AccelerationTrack(body, seed: 7)
      track.start = start
      bus.attach(VirtualLIS3DH(track: track), at: address)
      accelerometer = AccelerometerReader(part: part, address: address, hasLine: false, now: start)
      events += motion.start()
      accelerometer?.setDesiredMode(motion.desiredMode(now: start), now: start)
    }
  }

  var nextTimeout: Moment? {
    let next = earliest(
      gauge?.nextTimeout, accelerometer?.nextTimeout, accelerometer == nil ? nil : motion.nextTimeout)
    guard let next else { return nil }
    return blockedPeriods.first { $0.contains(next) }?.upperBound ?? next
  }

  func take(_ actions: [TrackerAction], now: Moment) {}

  func advance(now: Moment) -> [TrackerEvent] {
    for _ in 0..<10_000 {
      guard let due = nextTimeout, due <= now else { break }
      // Immediate deadlines are handled 1 ms later.
      bus.now = max(due, bus.now + .milliseconds(1))
      step(now: bus.now)
    }
    defer { events = [] }
    return events
  }

  private func step(now: Moment) {
    if let due = gauge?.nextTimeout, due <= now { readGauge(now: now) }
    if let due = accelerometer?.nextTimeout, due <= now { readAccelerometer(now: now) }
    if accelerometer != nil, let due = motion.nextTimeout, due <= now {
      events += motion.handleTimeout(now: now)
      accelerometer?.setDesiredMode(motion.desiredMode(now: now), now: now)
    }
  }

  private func readGauge(now: Moment) {
    guard let before = gauge?.lastReading ?? .some(.zero), let notices = gauge?.step(now: now), let gauge
    else {
      return
    }
    let latest = gauge.condition
    if latest != condition {
      condition = latest
      events.append(.battery(Battery(latest)))
    }
    if gauge.lastReading ?? .zero != before { events.append(.power(PowerReading(latest))) }
    for notice in notices {
      let reported: GaugeSource.Notice =
        switch notice {
        case .lost(let failure): .lost(BusGauge.words(of: failure))
        case .returned(let after): .returned(after: after)
        case .battery(let event): .battery(event)
        }
      events.append(.occurred(EventRecord(reported, of: Self.gaugeLocation)))
    }
  }

  private func readAccelerometer(now: Moment) {
    let bus = bus
    let notices = accelerometer?.step(on: { () throws(I2CError) in bus }, now: now) ?? []
    for notice in notices {
      switch notice {
      case .burst(let burst): events += motion.take(burst, now: now)
      case .moved: events += motion.moved(now: now)
      case .lost: events += motion.lost()
      case .returned: events += motion.returned(now: now)
      case .sampling, .overrun, .doubtful, .lineUnusable, .selfTestFailed: break
      }
      if let event = EventRecord(notice, of: Self.accelerometerLocation) { events.append(.occurred(event)) }
    }
    accelerometer?.setDesiredMode(motion.desiredMode(now: now), now: now)
  }
}
