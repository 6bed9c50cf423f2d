import Quantities

/// Runs one accelerometer for as long as the program runs.
///
/// Call ``step(on:cause:line:now:)`` at ``nextTimeout``, or up to ``tolerance`` before it where that saves a wake-up, when
/// the interrupt line rises, and in any wake-up from ``nextCheck`` on. It never waits.
public struct AccelerometerReader {
  /// Why a step is made.
  public enum Cause: Hashable, Sendable {
    case deadline, line
    /// The loop is awake for something else, and ``nextCheck`` has come.
    case passing
  }

  public enum Activity: String, Sendable { case off, sampling, watching }

  public enum SelfTest: Equatable, Sendable {
    case passed, notBuiltIn
    case failed(change: Acceleration, limits: SelfTestLimits)
  }

  public let part: AccelerometerPart
  public let address: I2CAddress
  public private(set) var demand = AccelerometerDemand.nothing
  /// Nil: nothing is to be done before the line rises or the demand changes.
  public private(set) var nextTimeout: Moment?
  public private(set) var tolerance = Duration.zero
  /// Nil before it was made.
  public private(set) var selfTest: SelfTest?
  /// °C of the die, read now and then while it samples; nil where it is unknown.
  public private(set) var dieTemperature: Double?
  public private(set) var losses = SampleLosses()
  /// Whether an interrupt line tells of movement.
  public private(set) var hasLine: Bool

  private var attendance = ChipAttendance()
  /// The driver; nil before the part was identified.
  private var driver: (any Accelerometer)?
  private var work = Work.toBeSet
  private var clock: SampleClock?
  private var gathering = FIFOGathering()
  /// Samples were thrown away since the last burst.
  private var hasDoubted = false
  private var temperatureDue: Moment
  private var checkDue: Moment
  private var falseEdges = 0

  /// What the part does.
  private enum Work: Equatable {
    /// Not what is demanded.
    case toBeSet
    case testing(attempt: Int)
    case off
    case sampling(Sampling)
    case watching(since: Moment, renewal: Moment)
  }

  /// How often a part without line is asked whether it moved.
  static let motionPoll = Duration.seconds(2)
  /// How often a watch is set anew: a part that was without supply for a moment does not tell.
  static let watchRenewal = Duration.seconds(3600)
  /// How often a part that watches is asked whether it still does, where that costs no wake-up.
  static let checkInterval = Duration.seconds(60)
  /// Movement so soon after a watch was set is the part's filter, which has not forgotten gravity yet.
  static let settling = Duration.seconds(1)
  /// So many times in a row may the line rise without movement.
  static let falseEdgesAllowed = 50
  static let temperatureInterval = Duration.seconds(60)

  public init(part: AccelerometerPart, address: I2CAddress, hasLine: Bool, now: Moment) {
    self.part = part
    self.address = address
    self.hasLine = hasLine
    nextTimeout = now
    (temperatureDue, checkDue) = (now, now)
  }

  /// Nil unless it is said to be lost and not back yet.
  public var loss: ChipAttendance.Loss? { attendance.loss }
  public var isLost: Bool { attendance.isLost }

  /// From when on any wake-up of the loop is good for a step: the part is asked whether it still watches. Nil where there
  /// is nothing to be asked.
  public var nextCheck: Moment? {
    guard case .watching = work, attendance.nextTimeout == nil else { return nil }
    return checkDue
  }

  /// What it does; nil before it was set to something.
  public var activity: Activity? {
    switch work {
    case .toBeSet, .testing: nil
    case .off: .off
    case .sampling: .sampling
    case .watching: .watching
    }
  }

  /// How it samples; nil while it does not.
  public var sampling: Sampling? {
    guard case .sampling(let sampling) = work else { return nil }
    return sampling
  }

  /// Hz, as counted so far; nil before the first burst.
  public var rate: Double? { clock?.rate }

  /// The part is set to it by the next step, which is due at once.
  public mutating func want(_ demand: AccelerometerDemand, now: Moment) {
    guard demand != self.demand else { return }
    self.demand = demand
    if case .testing = work { return }
    work = .toBeSet
    if attendance.nextTimeout == nil { (nextTimeout, tolerance) = (now, .zero) }
  }

  /// The line cannot be used: from now on the part is polled.
  public mutating func loseLine(now: Moment) {
    hasLine = false
    if case .watching = work { nextTimeout = now }
  }

  /// A few transactions on the bus, which `bus` opens where that is needed: at most some 50 ms of a bus at 100 kHz.
  /// `line` is asked whether the interrupt line is active; nil when it cannot be told any more.
  public mutating func step(
    on bus: () throws(I2CError) -> any I2CBus, cause: Cause = .deadline, line: () -> Bool? = { false },
    now: Moment
  ) -> [AccelerometerNotice] {
    var notices: [AccelerometerNotice] = []
    switch cause {
    case .deadline: break
    // A line that rises by chance does not hurry what is waited for.
    case .line: guard hasLine, nextCheck != nil else { return [] }
    case .passing: guard let nextCheck, nextCheck <= now else { return [] }
    }
    do throws(ChipError) {
      let isProven = try advance(on: bus, cause: cause, line: line, now: now, &notices)
      if isProven, case .returned(let after)? = attendance.succeeded(now: now) {
        notices.append(.returned(after: after))
      }
    } catch {
      deliver(gathering.giveUp(), now: now, &notices)
      if case .settingLost = error { work = .toBeSet }
      if case .lost(let error)? = attendance.failed(error, now: now) { notices.append(.lost(error)) }
      if attendance.isLost { (driver, work, dieTemperature) = (nil, .toBeSet, nil) }
      (nextTimeout, tolerance) = (attendance.nextTimeout, .zero)
    }
    return notices
  }

  /// False while it is not known yet whether the part works: one can answer, and never come to an end of its self-test
  /// or never give a sample.
  private mutating func advance(
    on bus: () throws(I2CError) -> any I2CBus, cause: Cause, line: () -> Bool?, now: Moment,
    _ notices: inout [AccelerometerNotice]
  ) throws(ChipError) -> Bool {
    var driver = try takeDriver(on: bus)
    // A part that was called has its state, also where the call broke off.
    defer { self.driver = driver }
    if case .testing(let attempt) = work {
      guard try test(&driver, attempt: attempt, now: now, &notices) else { return false }
    }
    switch work {
    case .toBeSet, .testing:
      try set(&driver, now: now, &notices)
      return sampling == nil
    case .off: plan(nil)
    case .sampling(let sampling): try drain(&driver, sampling, now: now, &notices)
    case .watching(let since, let renewal):
      try look(&driver, since: since, renewal: renewal, cause: cause, line: line, now: now, &notices)
    }
    return true
  }

  /// The driver, identified. It leaves ``driver``, so that a step changes it in place.
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

  /// Twice, for a knock from outside spoils it. True when it is over.
  private mutating func test(
    _ driver: inout any Accelerometer, attempt: Int, now: Moment, _ notices: inout [AccelerometerNotice]
  ) throws(ChipError) -> Bool {
    switch try driver.selfTestStep() {
    case .wait(let pause):
      plan(now + pause)
      return false
    case .passed: selfTest = .passed
    case .notBuiltIn: selfTest = .notBuiltIn
    case .failed where attempt < 2:
      work = .testing(attempt: attempt + 1)
      plan(now)
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
    deliver(gathering.giveUp(), now: now, &notices)
    switch demand {
    case .nothing:
      try driver.powerDown()
      work = .off
      dieTemperature = nil
      plan(nil)
    case .samples(let wish, let within):
      let sampling = try driver.start(wish)
      if clock?.nominalRate == sampling.rate {
        clock?.restart()
      } else {
        clock = SampleClock(nominalRate: sampling.rate)
      }
      work = .sampling(sampling)
      notices.append(.sampling(sampling))
      planReading(sampling, within: within, now: now)
    case .motion(let watch):
      try driver.watchForMotion(watch)
      work = .watching(since: now, renewal: now + Self.watchRenewal)
      checkDue = now + Self.checkInterval
      dieTemperature = nil
      planLook(renewal: now + Self.watchRenewal, now: now)
    }
  }

  private mutating func drain(
    _ driver: inout any Accelerometer, _ sampling: Sampling, now: Moment,
    _ notices: inout [AccelerometerNotice]
  ) throws(ChipError) {
    let part = try driver.drain()
    for reading in gathering.take(part, at: now, capacity: sampling.capacity) {
      deliver(reading, now: now, &notices)
    }
    if gathering.isUnderWay { return plan(now) }
    if now >= temperatureDue {
      dieTemperature = try driver.dieTemperature()
      temperatureDue = now + Self.temperatureInterval
    }
    if case .samples(_, let within) = demand { planReading(sampling, within: within, now: now) }
  }

  /// What a FIFO gave, dated, and what is wrong with it.
  private mutating func deliver(
    _ dated: FIFOGathering.Dated?, now: Moment, _ notices: inout [AccelerometerNotice]
  ) {
    guard let (reading, moment) = dated else { return }
    if reading.doubtful > 0 {
      hasDoubted = true
      if let unsaid = losses.take(doubtful: reading.doubtful, now: now) {
        notices.append(.doubtful(samples: unsaid))
      }
    }
    let burst = clock?.date(reading, drainedAt: moment)
    if let burst { notices.append(.burst(burst)) }
    // What was thrown away is missing too, and was not read too late.
    let missing = hasDoubted ? 0 : burst?.missing ?? 0
    if burst != nil { hasDoubted = false }
    if reading.isOverrun || missing > 0, let unsaid = losses.take(missing: missing, now: now) {
      notices.append(.overrun(missing: unsaid))
    }
  }

  private mutating func look(
    _ driver: inout any Accelerometer, since: Moment, renewal: Moment, cause: Cause,
    line: () -> Bool?, now: Moment, _ notices: inout [AccelerometerNotice]
  ) throws(ChipError) {
    if now >= checkDue {
      try driver.checkStillWatching()
      checkDue = now + Self.checkInterval
    }
    if cause == .passing { return }
    var renewal = renewal
    // Asked first: the part lowers its line once it has told. An edge of which the loop has not heard yet shows here.
    let isRaised = hasLine && cause == .deadline ? line() : true
    let hasMoved = try driver.motionSeen() && now - since >= Self.settling
    if let fault = judgeLine(hasMoved: hasMoved, isRaised: isRaised, cause: cause, since: since, now: now) {
      hasLine = false
      notices.append(.lineUnusable(fault))
    }
    if hasMoved { notices.append(.moved) }
    if now >= renewal - Self.watchRenewal / 2, cause == .deadline, case .motion(let watch) = demand {
      try driver.watchForMotion(watch)
      renewal = now + Self.watchRenewal
      work = .watching(since: now, renewal: renewal)
    }
    planLook(renewal: renewal, now: now)
  }

  private mutating func judgeLine(
    hasMoved: Bool, isRaised: Bool?, cause: Cause, since: Moment, now: Moment
  ) -> AccelerometerNotice.LineFault? {
    guard hasLine else { return nil }
    guard let isRaised else { return .gone }
    // After a fault of the bus the deadline makes up for what the line asked for.
    guard attendance.nextTimeout == nil else { return nil }
    switch cause {
    case .passing: return nil
    case .deadline: return hasMoved && !isRaised ? .silent : nil
    case .line:
      falseEdges = hasMoved || now - since < Self.settling ? 0 : falseEdges + 1
      return falseEdges > Self.falseEdgesAllowed ? .noisy : nil
    }
  }

  // MARK: When to go on

  private mutating func plan(_ moment: Moment?) { (nextTimeout, tolerance) = (moment, .zero) }

  /// Before the FIFO is full, even if the part is as fast as it may be; earlier where a wake-up happens anyway.
  private mutating func planReading(_ sampling: Sampling, within: Duration, now: Moment) {
    let fastest = sampling.rate * (1 + SampleClock.tolerance)
    let full = Duration.seconds(Double(max(sampling.capacity - 1, 1)) / fastest)
    let pause = min(full, within)
    (nextTimeout, tolerance) = (now + pause, pause / 2)
  }

  /// With a line only the watch is to be renewed, in any wake-up of half an hour.
  private mutating func planLook(renewal: Moment, now: Moment) {
    (nextTimeout, tolerance) =
      hasLine ? (renewal, Self.watchRenewal / 2) : (now + Self.motionPoll, Self.motionPoll / 2)
  }
}
