import Quantities

/// Whether the box moves, from everything that may tell.
///
/// Any source that is active means moving; all quiet means stopped. Each source has a delay before it counts and one
/// before its silence counts. A source that never spoke has no say.
public struct MotionEvidence: Equatable, Sendable {
  private struct Voice: Equatable {
    var isActive: Bool
    var since: Moment
    /// What was believed before `since`.
    var wasBelieved: Bool
  }

  /// The stop delay where no sensor but the receiver tells of motion.
  public var pauseDelay: Duration
  /// Which sources count, and how.
  public var rules: MotionRules
  private var voices: [MotionSource: Voice] = [:]

  public init(pauseDelay: Duration = .seconds(120), rules: MotionRules = .other) {
    self.pauseDelay = pauseDelay
    self.rules = rules
  }

  /// A sensor that tells of motion while the receiver sleeps has spoken.
  public var hasMotionSensor: Bool { voices[.accelerometer] != nil || voices[.ignition] != nil }

  public mutating func note(_ source: MotionSource, isActive: Bool, now: Moment) {
    guard let voice = voices[source] else {
      voices[source] = Voice(isActive: isActive, since: now, wasBelieved: false)
      return
    }
    guard voice.isActive != isActive else { return }
    voices[source] = Voice(isActive: isActive, since: now, wasBelieved: believes(source, voice, now))
  }

  /// A source that can say nothing any more, for its sensor failed or the receiver sleeps.
  public mutating func forget(_ source: MotionSource) { voices[source] = nil }

  public func isActive(_ source: MotionSource) -> Bool { voices[source]?.isActive ?? false }

  /// When a source last changed what it says; nil before it spoke.
  public func since(_ source: MotionSource) -> Moment? { voices[source]?.since }

  public func isMoving(now: Moment) -> Bool {
    voices.contains { rules.heeds($0.key) && believes($0.key, $0.value, now) }
  }

  /// As ``isMoving(now:)``, but without waiting for silence to last.
  public func isRising(now: Moment) -> Bool {
    voices.contains { rules.heeds($0.key) && $0.value.isActive && believes($0.key, $0.value, now) }
  }

  /// When ``isMoving(now:)`` may change of itself; nil while only news can change it.
  public func nextTimeout(now: Moment) -> Moment? {
    voices.compactMap { source, voice -> Moment? in
      guard rules.heeds(source), voice.isActive != voice.wasBelieved else { return nil }
      let change = voice.since + delay(of: source, voice)
      return change > now ? change : nil
    }.min()
  }

  private func believes(_ source: MotionSource, _ voice: Voice, _ now: Moment) -> Bool {
    guard voice.isActive != voice.wasBelieved else { return voice.isActive }
    return now >= voice.since + delay(of: source, voice) ? voice.isActive : voice.wasBelieved
  }

  private func delay(of source: MotionSource, _ voice: Voice) -> Duration {
    let delays = delays(of: source)
    return voice.isActive ? delays.start : delays.stop
  }

  private func delays(of source: MotionSource) -> MotionRules.Delays {
    let rules = rules.yieldsToIgnition && voices[.ignition] != nil ? .other : rules
    return switch source {
    case .accelerometer: rules.accelerometer
    case .voltage, .charger: MotionRules.Delays(start: .zero, stop: rules.supplyStop)
    case .speed:
      MotionRules.Delays(start: rules.speed.start, stop: hasMotionSensor ? rules.speed.stop : pauseDelay)
    case .displacement:
      MotionRules.Delays(start: .zero, stop: hasMotionSensor ? rules.displacementStop : pauseDelay)
    case .ignition: MotionRules.Delays(start: .zero, stop: rules.ignitionStop)
    case .network: MotionRules.Delays(start: .zero, stop: .zero)
    }
  }
}
