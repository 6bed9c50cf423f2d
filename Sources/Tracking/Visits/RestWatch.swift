import Quantities

/// How long the device has been at rest: within one circle by its fixes, and since the last of them by the silence of
/// everything that would tell of motion.
struct RestWatch: Equatable, Sendable {
  private(set) var dwell: DwellWatch
  /// When the last fix arrived.
  private(set) var heard: Moment?
  private(set) var last: Sample?
  /// The last fix after which something else than fixes was sure that nothing moves.
  private var vouchedFor: Moment?

  /// So long the fixes themselves must have shown a rest before silence adds to it: the mouth of a tunnel is no rest.
  static let shortest = Duration.seconds(30)
  /// From so long on the device counts as stopped.
  static let stopped = Duration.seconds(60)

  /// Motion without displacement for less than this is a slammed door.
  static let slam = Duration.seconds(10)

  init(reach: Double) { dwell = DwellWatch(reach: reach) }

  mutating func add(_ sample: Sample, now: Moment) {
    dwell.add(sample)
    heard = now
    last = sample
  }

  /// The last fix of an earlier start of the program: whoever is still there has stayed.
  mutating func recall(_ sample: Sample) {
    guard heard == nil, dwell.first == nil else { return }
    dwell.add(sample)
  }

  /// The receiver sleeps because nothing moves: the silence since the last fix is rest, however short the fixes were.
  mutating func vouch() { vouchedFor = heard }

  /// Whether silence adds to the rest that the fixes show.
  private var isSilenceRest: Bool {
    dwell.duration >= Self.shortest || (vouchedFor != nil && vouchedFor == heard)
  }

  var stay: DwellWatch.Stay? { dwell.stay }

  /// How long the rest has lasted at `now` if nothing has moved since the last fix; zero for none.
  private func duration(now: Moment) -> Duration {
    guard let heard else { return .zero }
    let shown = dwell.duration
    guard isSilenceRest, now > heard else { return shown }
    return shown + (now - heard)
  }

  /// True for a rest that is long enough and that nothing contradicts.
  func isResting(for duration: Duration, _ evidence: SensedMotion, now: Moment) -> Bool {
    !evidence.isMoving && self.duration(now: now) >= duration
  }

  /// The same for a rest that goes on: a slammed door does not end it, evidence alone has to last.
  func staysResting(for duration: Duration, _ evidence: SensedMotion, now: Moment) -> Bool {
    guard let onset = evidence.movingSince else { return isResting(for: duration, evidence, now: now) }
    return now - onset < Self.slam && self.duration(now: onset) >= duration
  }

  /// When a rest of this length would be reached if no other fix came; nil where silence adds nothing.
  func deadline(for duration: Duration, _ evidence: SensedMotion) -> Moment? {
    guard let heard, !evidence.isMoving, isSilenceRest else { return nil }
    return heard + max(duration - dwell.duration, .zero)
  }
}
