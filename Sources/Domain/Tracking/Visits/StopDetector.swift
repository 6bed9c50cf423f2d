import Quantities

/// Measures how long the device has been stationary: within one circle by its fixes, and after the last fix by the
/// silence of all motion sensors.
struct StopDetector: Equatable, Sendable {
  private(set) var dwell: DwellWatch
  /// Arrival time of the last fix.
  private(set) var lastFixAt: Moment?
  private(set) var last: Observation?
  /// The last fix after which the receiver schedule confirmed that the device is stationary.
  private var confirmedAt: Moment?

  /// Shortest stop that the fixes must show before silence counts, because a tunnel entrance is not a stop.
  static let shortest = Duration.seconds(30)
  /// Time stationary after which the device counts as stopped.
  static let stopped = Duration.seconds(60)

  /// Duration below which motion without displacement is a slammed door.
  static let slam = Duration.seconds(10)

  init(reach: Double) { dwell = DwellWatch(reach: reach) }

  /// Processes a fix. A vague one counts as none.
  mutating func add(_ observation: Observation, now: Moment) {
    guard !observation.isVague else { return }
    dwell.add(observation)
    lastFixAt = now
    last = observation
  }

  /// Processes the last fix of an earlier run: a device that is still there has dwelt.
  mutating func recall(_ observation: Observation) {
    guard lastFixAt == nil, dwell.first == nil else { return }
    dwell.add(observation)
  }

  /// Confirms that the receiver sleeps because the device is stationary. The time since the last fix counts, even if
  /// the series of fixes was short.
  mutating func confirmStop() { confirmedAt = lastFixAt }

  /// True if silence counts in addition to the fixes.
  private var countsSilence: Bool {
    dwell.duration >= Self.shortest || (confirmedAt != nil && confirmedAt == lastFixAt)
  }

  var presentDwell: DwellWatch.Dwell? { dwell.presentDwell }

  /// The time stationary at `now` if nothing has moved since the last fix; zero for none.
  private func duration(now: Moment) -> Duration {
    guard let lastFixAt else { return .zero }
    let shown = dwell.duration
    guard countsSilence, now > lastFixAt else { return shown }
    return shown + (now - lastFixAt)
  }

  /// True if the device has been stationary for this long and no sensor contradicts.
  func isStationary(for duration: Duration, _ evidence: SensedMotion, now: Moment) -> Bool {
    !evidence.isMoving && self.duration(now: now) >= duration
  }

  /// True if the stop continues: a slammed door does not end it, only motion that lasts.
  func remainsStationary(for duration: Duration, _ evidence: SensedMotion, now: Moment) -> Bool {
    guard let onset = evidence.movingSince else { return isStationary(for: duration, evidence, now: now) }
    return now - onset < Self.slam && self.duration(now: onset) >= duration
  }

  /// The time at which a stop reaches this length without another fix; nil if silence does not count.
  func deadline(for duration: Duration, _ evidence: SensedMotion) -> Moment? {
    guard let lastFixAt, !evidence.isMoving, countsSilence else { return nil }
    return lastFixAt + max(duration - dwell.duration, .zero)
  }
}
