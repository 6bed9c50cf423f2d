import Quantities

/// Operates one accelerometer for the lifetime of the program.
///
/// Call ``step(on:cause:line:now:)`` at ``nextTimeout``, or up to ``tolerance`` earlier if that saves a
/// wake-up; when the interrupt line is raised; and in any wake-up from ``nextCheck`` on. It never blocks.
public struct AccelerometerReader {
  /// The reason for a step.
  public enum Cause: Hashable, Sendable {
    case deadline, line
    /// The loop is awake for another task, and ``nextCheck`` has passed.
    case passing
  }

  /// The present activity of the accelerometer, for status reports.
  public enum Activity: String, Sendable { case off, sampling, watching }

  /// The result of the self-test.
  public enum SelfTest: Equatable, Sendable {
    case passed, notBuiltIn
    case failed(change: Acceleration, limits: SelfTestLimits)
  }

  public let part: AccelerometerPart
  public let address: I2CAddress
  public private(set) var desiredMode = DesiredAccelerometerMode.nothing
  /// The time of the next step; nil if nothing is due before the line is raised or the demand changes.
  public private(set) var nextTimeout: Moment?
  public private(set) var tolerance = Duration.zero
  /// The result of the self-test; nil before it has run.
  public private(set) var selfTest: SelfTest?

  private var presence = ChipPresence()
  /// The driver; nil before the chip was identified.
  private var driver: (any Accelerometer)?
  private var work = Work.toBeSet
  private var samples = SampleStream()
  private var thermometer: DieThermometer
  private var interrupt: MotionInterrupt

  /// The present operation of the chip.
  private enum Work: Equatable {
    /// The chip must be configured for the demand.
    case toBeSet
    case testing(attempt: Int)
    case off
    case sampling(Sampling)
    case watching(MotionWatching)
  }

  /// Polling interval for motion without an interrupt line.
  static let motionPoll = Duration.seconds(2)

  public init(part: AccelerometerPart, address: I2CAddress, hasLine: Bool, now: Moment) {
    self.part = part
    self.address = address
    interrupt = MotionInterrupt(isWired: hasLine)
    thermometer = DieThermometer(now: now)
    nextTimeout = now
  }

  /// The start of the loss and the last error; nil unless the accelerometer was reported as lost and has not returned.
  public var loss: ChipPresence.Loss? { presence.loss }
  public var isLost: Bool { presence.isLost }

  /// The time from which any wake-up of the loop serves for a step that checks wake-on-motion. Nil if there
  /// is nothing to check.
  public var nextCheck: Moment? {
    guard case .watching(let watching) = work, presence.nextTimeout == nil else { return nil }
    return watching.check
  }

  /// The present activity; nil before the chip was configured.
  public var activity: Activity? {
    switch work {
    case .toBeSet, .testing: nil
    case .off: .off
    case .sampling: .sampling
    case .watching: .watching
    }
  }

  /// The sampling parameters; nil unless sampling.
  public var sampling: Sampling? {
    guard case .sampling(let sampling) = work else { return nil }
    return sampling
  }

  /// Measured rate in Hz; nil before the first burst.
  public var rate: Double? { samples.rate }
  public var losses: SampleLosses { samples.losses }
  /// Temperature of the die in °C, read occasionally while sampling; nil if unknown.
  public var dieTemperature: Double? { thermometer.celsius }
  /// True if an interrupt line reports motion.
  public var hasLine: Bool { interrupt.isUsable }

  /// Sets the desired mode. The next step, due immediately, configures the chip.
  public mutating func setDesiredMode(_ desiredMode: DesiredAccelerometerMode, now: Moment) {
    guard desiredMode != self.desiredMode else { return }
    self.desiredMode = desiredMode
    if case .testing = work { return }
    work = .toBeSet
    if presence.nextTimeout == nil { (nextTimeout, tolerance) = (now, .zero) }
  }

  /// Records that the line cannot be used: the chip is polled from now on.
  public mutating func loseLine(now: Moment) {
    interrupt.lose()
    if case .watching = work { nextTimeout = now }
  }

  /// Performs a few transactions, at most about 50 ms of a bus at 100 kHz. `bus` opens the bus if necessary.
  /// `line` returns true if the interrupt line is active; nil if its level cannot be read any more.
  public mutating func step(
    on bus: () throws(I2CError) -> any I2CBus, cause: Cause = .deadline, line: () -> Bool? = { false },
    now: Moment
  ) -> [AccelerometerNotice] {
    var notices: [AccelerometerNotice] = []
    switch cause {
    case .deadline: break
    // A spurious edge does not advance pending work.
    case .line: guard hasLine, nextCheck != nil else { return [] }
    case .passing: guard let nextCheck, nextCheck <= now else { return [] }
    }
    do throws(ChipError) {
      let isProven = try advance(on: bus, cause: cause, line: line, now: now, &notices)
      if isProven, case .returned(let after)? = presence.succeeded(now: now) {
        notices.append(.returned(after: after))
      }
    } catch {
      samples.endReading(now: now, &notices)
      if case .settingLost = error { work = .toBeSet }
      if case .lost(let error)? = presence.failed(error, now: now) { notices.append(.lost(error)) }
      if presence.isLost {
        (driver, work) = (nil, .toBeSet)
        thermometer.clear()
      }
      (nextTimeout, tolerance) = (presence.nextTimeout, .zero)
    }
    return notices
  }

  /// Returns false while it is unproven that the chip works: a chip can answer and yet never finish its
  /// self-test or supply a sample.
  private mutating func advance(
    on bus: () throws(I2CError) -> any I2CBus, cause: Cause, line: () -> Bool?, now: Moment,
    _ notices: inout [AccelerometerNotice]
  ) throws(ChipError) -> Bool {
    var driver = try takeDriver(on: bus)
    // A chip that was called keeps its state, even if the call failed.
    defer { self.driver = driver }
    if case .testing(let attempt) = work {
      guard try test(&driver, attempt: attempt, now: now, &notices) else { return false }
    }
    switch work {
    case .toBeSet, .testing:
      try set(&driver, now: now, &notices)
      return sampling == nil
    case .off: schedule(nil)
    case .sampling(let sampling): try drain(&driver, sampling, now: now, &notices)
    case .watching(let watching):
      try checkMotion(&driver, watching, cause: cause, line: line, now: now, &notices)
    }
    return true
  }

  /// Removes and returns the identified driver, so that a step modifies it in place.
  private mutating func takeDriver(on bus: () throws(I2CError) -> any I2CBus) throws(ChipError)
    -> any Accelerometer
  {
    if let known = driver {
      driver = nil
      return known
    }
    let made: any Accelerometer
    do throws(I2CError) { made = part.driver(try bus(), address) } catch { throw .bus(error) }
    try made.identify()
    work = selfTest == nil ? .testing(attempt: 1) : .toBeSet
    return made
  }

  /// Runs the self-test, twice at most because an external shock spoils it. Returns true when it has ended.
  private mutating func test(
    _ driver: inout any Accelerometer, attempt: Int, now: Moment, _ notices: inout [AccelerometerNotice]
  ) throws(ChipError) -> Bool {
    switch try driver.selfTestStep() {
    case .wait(let pause):
      schedule(now + pause)
      return false
    case .passed: selfTest = .passed
    case .notBuiltIn: selfTest = .notBuiltIn
    case .failed where attempt < 2:
      work = .testing(attempt: attempt + 1)
      schedule(now)
      return false
    case .failed(let change, let limits):
      try driver.confirmIdentity()
      selfTest = .failed(change: change, limits: limits)
      notices.append(.selfTestFailed(change: change, limits: limits))
    }
    work = .toBeSet
    return true
  }

  private mutating func set(
    _ driver: inout any Accelerometer, now: Moment, _ notices: inout [AccelerometerNotice]
  ) throws(ChipError) {
    samples.endReading(now: now, &notices)
    switch desiredMode {
    case .nothing:
      try driver.powerDown()
      work = .off
      thermometer.clear()
      schedule(nil)
    case .samples(let request, let within):
      let sampling = try driver.start(request)
      samples.begin(nominalRate: sampling.rate)
      work = .sampling(sampling)
      notices.append(.sampling(sampling))
      scheduleReading(sampling, within: within, now: now)
    case .motion(let watch):
      try driver.watchForMotion(watch)
      let watching = MotionWatching(now: now)
      work = .watching(watching)
      thermometer.clear()
      scheduleMotionCheck(watching, now: now)
    }
  }

  private mutating func drain(
    _ driver: inout any Accelerometer, _ sampling: Sampling, now: Moment,
    _ notices: inout [AccelerometerNotice]
  ) throws(ChipError) {
    let part = try driver.drain()
    samples.take(part, capacity: sampling.capacity, now: now, &notices)
    if samples.isReading { return schedule(now) }
    try thermometer.readIfDue(&driver, now: now)
    if case .samples(_, let within) = desiredMode { scheduleReading(sampling, within: within, now: now) }
  }

  private mutating func checkMotion(
    _ driver: inout any Accelerometer, _ before: MotionWatching, cause: Cause, line: () -> Bool?, now: Moment,
    _ notices: inout [AccelerometerNotice]
  ) throws(ChipError) {
    var watching = before
    if now >= watching.check {
      try driver.checkStillWatching()
      watching.checked(now: now)
      work = .watching(watching)
    }
    if cause == .passing { return }
    // Read first: the chip lowers its line when queried. An edge that the loop has not seen yet shows here.
    let isRaised = hasLine && cause == .deadline ? line() : true
    let hasMoved = try driver.motionSeen() && !watching.isSettling(now: now)
    let fault = interrupt.check(
      cause, hasMoved: hasMoved, isRaised: isRaised, isSettling: watching.isSettling(now: now),
      // After a bus fault the deadline replaces the request of the line.
      isAfterBusFault: presence.nextTimeout != nil)
    if let fault { notices.append(.lineUnusable(fault)) }
    if hasMoved { notices.append(.moved) }
    if watching.isRenewalNear(now: now), cause == .deadline, case .motion(let watch) = desiredMode {
      try driver.watchForMotion(watch)
      watching.renewed(now: now)
      work = .watching(watching)
    }
    scheduleMotionCheck(watching, now: now)
  }

  // MARK: Scheduling

  private mutating func schedule(_ moment: Moment?) { (nextTimeout, tolerance) = (moment, .zero) }

  /// Schedules a reading before the FIFO is full, even at the chip's fastest possible rate; earlier if it can
  /// share a wake-up.
  private mutating func scheduleReading(_ sampling: Sampling, within: Duration, now: Moment) {
    let fastest = sampling.rate * (1 + SampleClock.tolerance)
    let full = Duration.seconds(Double(max(sampling.capacity - 1, 1)) / fastest)
    let pause = min(full, within)
    (nextTimeout, tolerance) = (now + pause, pause / 2)
  }

  /// Schedules a step for wake-on-motion. With a line, only its renewal is scheduled, in any wake-up within half an
  /// hour.
  private mutating func scheduleMotionCheck(_ watching: MotionWatching, now: Moment) {
    (nextTimeout, tolerance) =
      hasLine
      ? (watching.renewal, MotionWatching.renewalInterval / 2) : (now + Self.motionPoll, Self.motionPoll / 2)
  }
}

/// Wake-on-motion while it is active: when it was configured, and when to check and renew it.
private struct MotionWatching: Equatable {
  /// Interval for renewing wake-on-motion, because a chip does not report a short loss of supply.
  static let renewalInterval = Duration.seconds(3600)
  /// Interval for checking that wake-on-motion is active, if that costs no wake-up.
  static let checkInterval = Duration.seconds(60)
  /// Motion within this time after configuration is due to the chip's filter, which has not removed gravity
  /// yet.
  static let settling = Duration.seconds(1)

  private var since: Moment
  private(set) var renewal: Moment
  /// The time of the next check.
  private(set) var check: Moment

  init(now: Moment) {
    since = now
    renewal = now + Self.renewalInterval
    check = now + Self.checkInterval
  }

  func isSettling(now: Moment) -> Bool { now - since < Self.settling }
  /// True in the second half of the interval.
  func isRenewalNear(now: Moment) -> Bool { now >= renewal - Self.renewalInterval / 2 }

  mutating func checked(now: Moment) { check = now + Self.checkInterval }
  /// The chip was configured again.
  mutating func renewed(now: Moment) { (since, renewal) = (now, now + Self.renewalInterval) }
}

/// The interrupt line of an accelerometer, compared with the motion that the chip reports.
private struct MotionInterrupt {
  /// Maximum number of successive edges of the line without motion.
  static let falseEdgesAllowed = 50

  private(set) var isUsable: Bool
  private var falseEdges = 0

  init(isWired: Bool) { isUsable = isWired }

  mutating func lose() { isUsable = false }

  /// Returns the fault by which the line is unusable from now on; nil without a new one. `isRaised` is nil if the level
  /// cannot be read.
  mutating func check(
    _ cause: AccelerometerReader.Cause, hasMoved: Bool, isRaised: Bool?, isSettling: Bool,
    isAfterBusFault: Bool
  ) -> AccelerometerNotice.LineFault? {
    guard isUsable else { return nil }
    let fault: AccelerometerNotice.LineFault?
    if let isRaised {
      guard !isAfterBusFault else { return nil }
      switch cause {
      case .passing: fault = nil
      case .deadline: fault = hasMoved && !isRaised ? .silent : nil
      case .line:
        falseEdges = hasMoved || isSettling ? 0 : falseEdges + 1
        fault = falseEdges > Self.falseEdgesAllowed ? .noisy : nil
      }
    } else {
      fault = .gone
    }
    if fault != nil { isUsable = false }
    return fault
  }
}

/// The temperature of the die, which is read occasionally while sampling.
private struct DieThermometer {
  static let interval = Duration.seconds(60)

  /// The last reading in °C; nil if unknown.
  private(set) var celsius: Double?
  private var due: Moment

  init(now: Moment) { due = now }

  mutating func readIfDue(_ driver: inout any Accelerometer, now: Moment) throws(ChipError) {
    guard now >= due else { return }
    celsius = try driver.dieTemperature()
    due = now + Self.interval
  }

  mutating func clear() { celsius = nil }
}
