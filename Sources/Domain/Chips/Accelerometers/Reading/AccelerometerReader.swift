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
  /// Temperature of the die in °C, read occasionally while sampling; nil if unknown.
  public private(set) var dieTemperature: Double?
  public private(set) var losses = SampleLosses()
  /// True if an interrupt line reports motion.
  public private(set) var hasLine: Bool

  private var presence = ChipPresence()
  /// The driver; nil before the chip was identified.
  private var driver: (any Accelerometer)?
  private var work = Work.toBeSet
  private var clock: SampleClock?
  private var assembler = FIFOAssembler()
  /// True if samples were discarded since the last burst.
  private var hasDoubted = false
  private var temperatureDue: Moment
  private var checkDue: Moment
  private var falseEdges = 0

  /// The present operation of the chip.
  private enum Work: Equatable {
    /// The chip must be configured for the demand.
    case toBeSet
    case testing(attempt: Int)
    case off
    case sampling(Sampling)
    case watching(since: Moment, renewal: Moment)
  }

  /// Polling interval for motion without an interrupt line.
  static let motionPoll = Duration.seconds(2)
  /// Interval for renewing wake-on-motion, because a chip does not report a short loss of supply.
  static let watchRenewal = Duration.seconds(3600)
  /// Interval for checking that wake-on-motion is active, if that costs no wake-up.
  static let checkInterval = Duration.seconds(60)
  /// Motion within this time after configuration is due to the chip's filter, which has not removed gravity
  /// yet.
  static let settling = Duration.seconds(1)
  /// Maximum number of successive edges of the line without motion.
  static let falseEdgesAllowed = 50
  static let temperatureInterval = Duration.seconds(60)

  public init(part: AccelerometerPart, address: I2CAddress, hasLine: Bool, now: Moment) {
    self.part = part
    self.address = address
    self.hasLine = hasLine
    nextTimeout = now
    (temperatureDue, checkDue) = (now, now)
  }

  /// The start of the loss and the last error; nil unless the accelerometer was reported as lost and has not returned.
  public var loss: ChipPresence.Loss? { presence.loss }
  public var isLost: Bool { presence.isLost }

  /// The time from which any wake-up of the loop serves for a step that checks wake-on-motion. Nil if there
  /// is nothing to check.
  public var nextCheck: Moment? {
    guard case .watching = work, presence.nextTimeout == nil else { return nil }
    return checkDue
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
  public var rate: Double? { clock?.rate }

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
    hasLine = false
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
      deliver(assembler.takePartial(), now: now, &notices)
      if case .settingLost = error { work = .toBeSet }
      if case .lost(let error)? = presence.failed(error, now: now) { notices.append(.lost(error)) }
      if presence.isLost { (driver, work, dieTemperature) = (nil, .toBeSet, nil) }
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
    case .watching(let since, let renewal):
      try checkMotion(&driver, since: since, renewal: renewal, cause: cause, line: line, now: now, &notices)
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
      selfTest = .failed(change: change, limits: limits)
      notices.append(.selfTestFailed(change: change, limits: limits))
    }
    work = .toBeSet
    return true
  }

  private mutating func set(
    _ driver: inout any Accelerometer, now: Moment, _ notices: inout [AccelerometerNotice]
  ) throws(ChipError) {
    deliver(assembler.takePartial(), now: now, &notices)
    switch desiredMode {
    case .nothing:
      try driver.powerDown()
      work = .off
      dieTemperature = nil
      schedule(nil)
    case .samples(let request, let within):
      let sampling = try driver.start(request)
      if clock?.nominalRate == sampling.rate {
        clock?.restart()
      } else {
        clock = SampleClock(nominalRate: sampling.rate)
      }
      work = .sampling(sampling)
      notices.append(.sampling(sampling))
      scheduleReading(sampling, within: within, now: now)
    case .motion(let watch):
      try driver.watchForMotion(watch)
      work = .watching(since: now, renewal: now + Self.watchRenewal)
      checkDue = now + Self.checkInterval
      dieTemperature = nil
      scheduleMotionCheck(renewal: now + Self.watchRenewal, now: now)
    }
  }

  private mutating func drain(
    _ driver: inout any Accelerometer, _ sampling: Sampling, now: Moment,
    _ notices: inout [AccelerometerNotice]
  ) throws(ChipError) {
    let part = try driver.drain()
    for reading in assembler.take(part, at: now, capacity: sampling.capacity) {
      deliver(reading, now: now, &notices)
    }
    if assembler.isInProgress { return schedule(now) }
    if now >= temperatureDue {
      dieTemperature = try driver.dieTemperature()
      temperatureDue = now + Self.temperatureInterval
    }
    if case .samples(_, let within) = desiredMode { scheduleReading(sampling, within: within, now: now) }
  }

  /// Dates the samples of a FIFO reading and reports losses.
  private mutating func deliver(
    _ dated: FIFOAssembler.Dated?, now: Moment, _ notices: inout [AccelerometerNotice]
  ) {
    guard let (reading, moment) = dated else { return }
    if reading.doubtful > 0 {
      hasDoubted = true
      if let unreported = losses.take(doubtful: reading.doubtful, now: now) {
        notices.append(.doubtful(samples: unreported))
      }
    }
    let burst = clock?.date(reading, drainedAt: moment)
    if let burst { notices.append(.burst(burst)) }
    // Discarded samples are also missing, but were not read too late.
    let missing = hasDoubted ? 0 : burst?.missing ?? 0
    if burst != nil { hasDoubted = false }
    if reading.isOverrun || missing > 0, let unreported = losses.take(missing: missing, now: now) {
      notices.append(.overrun(missing: unreported))
    }
  }

  private mutating func checkMotion(
    _ driver: inout any Accelerometer, since: Moment, renewal: Moment, cause: Cause,
    line: () -> Bool?, now: Moment, _ notices: inout [AccelerometerNotice]
  ) throws(ChipError) {
    if now >= checkDue {
      try driver.checkStillWatching()
      checkDue = now + Self.checkInterval
    }
    if cause == .passing { return }
    var renewal = renewal
    // Read first: the chip lowers its line when queried. An edge that the loop has not seen yet shows here.
    let isRaised = hasLine && cause == .deadline ? line() : true
    let hasMoved = try driver.motionSeen() && now - since >= Self.settling
    if let fault = checkLine(hasMoved: hasMoved, isRaised: isRaised, cause: cause, since: since, now: now) {
      hasLine = false
      notices.append(.lineUnusable(fault))
    }
    if hasMoved { notices.append(.moved) }
    if now >= renewal - Self.watchRenewal / 2, cause == .deadline, case .motion(let watch) = desiredMode {
      try driver.watchForMotion(watch)
      renewal = now + Self.watchRenewal
      work = .watching(since: now, renewal: renewal)
    }
    scheduleMotionCheck(renewal: renewal, now: now)
  }

  private mutating func checkLine(
    hasMoved: Bool, isRaised: Bool?, cause: Cause, since: Moment, now: Moment
  ) -> AccelerometerNotice.LineFault? {
    guard hasLine else { return nil }
    guard let isRaised else { return .gone }
    // After a bus fault the deadline replaces the request of the line.
    guard presence.nextTimeout == nil else { return nil }
    switch cause {
    case .passing: return nil
    case .deadline: return hasMoved && !isRaised ? .silent : nil
    case .line:
      falseEdges = hasMoved || now - since < Self.settling ? 0 : falseEdges + 1
      return falseEdges > Self.falseEdgesAllowed ? .noisy : nil
    }
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
  private mutating func scheduleMotionCheck(renewal: Moment, now: Moment) {
    (nextTimeout, tolerance) =
      hasLine ? (renewal, Self.watchRenewal / 2) : (now + Self.motionPoll, Self.motionPoll / 2)
  }
}
