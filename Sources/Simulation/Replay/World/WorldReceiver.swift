import Energy
import GNSSProtocol
import Glibc
import Quantities

/// A receiver in the simulated world: its fixes with their quality, and its power states.
///
/// It has one epoch per second while it is powered; the time of the first fix sets the phase.
struct WorldReceiver: Sendable {
  /// The activity that draws current.
  enum Power: String, Sendable { case acquire, track, cyclic }

  private struct Start {
    var since: Double
    var timeToFix: Double
  }

  private enum Phase {
    case asleep
    /// Searching for satellites; nil without reception.
    case acquiring(Start?)
    case fixing(since: Double, last: Double)
  }

  private let day: Day
  private let noise: PositionNoise
  private var chance: Chance
  private var phase = Phase.asleep
  private var isCyclic = false
  private var trackedSince: Double?
  private var ephemerides: Double?
  /// Time of the next epoch in seconds from the start of the day; nil while asleep.
  private(set) var nextEpoch: Double?
  private(set) var intervals: [WorldInterval] = []
  private var open: (power: Power, since: Double)?
  private(set) var starts = 0
  private(set) var failedSearches = 0

  init(_ day: Day, noise: PositionNoise, seed: UInt64) {
    self.day = day
    self.noise = noise
    chance = Chance(seed: seed, stream: 3)
  }

  // MARK: Orders

  mutating func order(_ state: ReceiverState, at time: Double) {
    switch state {
    case .off:
      sleep(at: time)
      ephemerides = nil
    case .backup: sleep(at: time)
    case .searching, .settling, .tracking: wake(cyclic: false, at: time)
    case .cyclic: wake(cyclic: true, at: time)
    }
  }

  private mutating func sleep(at time: Double) {
    if open?.power == .acquire, day.isKnown(at: time) { failedSearches += 1 }
    phase = .asleep
    trackedSince = nil
    nextEpoch = nil
    let hasJustFixed = open.map { $0.power != .acquire && $0.since >= time } ?? false
    enter(nil, at: hasJustFixed ? time + WorldConstants.shortestTracking : time)
  }

  private mutating func wake(cyclic: Bool, at time: Double) {
    isCyclic = cyclic
    switch phase {
    case .asleep:
      starts += day.isKnown(at: time) ? 1 : 0
      phase = .acquiring(day.hasReception(at: time) ? start(at: time) : nil)
      enter(.acquire, at: time)
      scheduleAcquisition(after: time)
    case .acquiring: break
    case .fixing:
      if cyclic { trackedSince = nil }
      enter(cyclic ? .cyclic : .track, at: time)
    }
  }

  mutating func finish(at time: Double) { enter(nil, at: time) }

  // MARK: Epochs

  /// The epoch at ``nextEpoch``.
  mutating func epoch() -> (fix: Fix, strongest: Double?)? {
    guard let time = nextEpoch else { return nil }
    let hasReception = day.hasReception(at: time)
    switch phase {
    case .asleep: return nil
    case .acquiring(let running):
      guard hasReception else {
        phase = .acquiring(nil)
        nextEpoch = time + 1
        // Reports that it receives no satellite, as receivers do in GSV.
        return (Fix(), 0)
      }
      let start = running ?? start(at: time)
      guard time >= start.since + start.timeToFix - 1e-6 else {
        phase = .acquiring(start)
        scheduleAcquisition(after: time)
        let hasSignal = time - start.since >= WorldConstants.signalDelay
        return (Fix(), hasSignal ? WorldConstants.signal : nil)
      }
      phase = .fixing(since: time, last: time)
      enter(isCyclic ? .cyclic : .track, at: time)
      return (fix(at: time, since: time), nil)
    case .fixing(let since, let last):
      nextEpoch = time + 1
      guard hasReception else {
        trackedSince = nil
        if time - last > WorldConstants.longestBlink { phase = .acquiring(nil) }
        enter(.acquire, at: time)
        return (Fix(), nil)
      }
      phase = .fixing(since: since, last: time)
      enter(isCyclic ? .cyclic : .track, at: time)
      return (fix(at: time, since: since), nil)
    }
  }

  private mutating func fix(at time: Double, since: Double) -> Fix {
    nextEpoch = time + 1
    if isCyclic {
      trackedSince = nil
    } else {
      let tracked = trackedSince ?? time
      trackedSince = tracked
      if time - tracked >= WorldConstants.ephemerisReading { ephemerides = time }
    }
    let fading = exp(-(time - since) / WorldConstants.settlingSeconds)
    let radius = WorldConstants.settledError + WorldConstants.firstError * fading
    let spread = radius / WorldConstants.radiusOverSpread
    let error = noise.error(at: time)
    let position = day.position(at: time).moved(north: error.north * spread, east: error.east * spread)
    let speedSpread = WorldConstants.settledSpeedError + WorldConstants.firstSpeedError * fading
    let velocity = velocity(at: time)
    let north = velocity.north + speedSpread * chance.normal()
    let east = velocity.east + speedSpread * chance.normal()
    let speed = (north * north + east * east).squareRoot()
    var fix = Fix()
    fix.kind = .threeDimensional
    fix.timestamp = WorldCalendar.recorded(start: day.start, at: time)
    fix.latitude = position.latitude
    fix.longitude = position.longitude
    fix.speed = speed
    let course = atan2(east, north) * 180 / Double.pi
    fix.course = course < 0 ? course + 360 : course
    fix.speedAccuracy = speedSpread
    fix.courseAccuracy = speed > 0.1 ? min(180, speedSpread / speed * 180 / Double.pi) : 180
    fix.horizontalAccuracy = radius
    return fix
  }

  /// Velocity in m/s to the north and to the east, over the second around `time`; zero when stationary.
  private func velocity(at time: Double) -> (north: Double, east: Double) {
    guard day.isMoving[Day.second(of: time - 0.5)], day.isMoving[Day.second(of: time + 0.5)] else {
      return (0, 0)
    }
    let (a, b) = (day.position(at: time - 0.5), day.position(at: time + 0.5))
    let north = GeoPoint.metres(a, GeoPoint(latitude: b.latitude, longitude: a.longitude))
    let east = GeoPoint.metres(a, GeoPoint(latitude: a.latitude, longitude: b.longitude))
    return (b.latitude < a.latitude ? -north : north, a.turn(to: b) < 0 ? -east : east)
  }

  private mutating func start(at time: Double) -> Start {
    let age = ephemerides.map { time - $0 } ?? .infinity
    let span = WorldConstants.surelyWarm - WorldConstants.surelyHot
    let isHot = chance.share() < (WorldConstants.surelyWarm - age) / span
    let timeToFix =
      isHot
      ? chance.logNormal(median: WorldConstants.hotMedian, spread: WorldConstants.hotSpread)
      : chance.logNormal(median: WorldConstants.warmMedian, spread: WorldConstants.warmSpread)
    return Start(since: time, timeToFix: timeToFix)
  }

  private mutating func scheduleAcquisition(after time: Double) {
    guard case .acquiring(let running) = phase, let running else {
      nextEpoch = time + 1
      return
    }
    let fixed = running.since + running.timeToFix
    nextEpoch = fixed > time && fixed < time + 1 ? fixed : time + 1
  }

  // MARK: Power intervals

  private mutating func enter(_ power: Power?, at time: Double) {
    guard power != open?.power else { return }
    if let open, time > open.since {
      intervals.append(WorldInterval(power: open.power, start: open.since, end: time))
    }
    // A wake-up may come during the tracking time of the last fix.
    let begin = max(time, intervals.last?.end ?? time)
    open = power.map { ($0, begin) }
  }
}

/// An interval in which the receiver was powered, in seconds from the start of the day.
struct WorldInterval: Equatable, Sendable {
  var power: WorldReceiver.Power
  var start: Double
  var end: Double
}
