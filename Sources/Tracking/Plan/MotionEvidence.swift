import Quantities

/// Combines the motion sensors and the receiver's fixes into one decision: the device moves or is stationary.
///
/// One active source means moving; if all are quiet, the device has stopped. Every source has a delay before its
/// start counts and one before its end counts. A source without a report does not count. Owned by ``ReceiverPlan``.
public struct MotionEvidence: Equatable, Sendable {
  private struct Voice: Equatable {
    var isActive: Bool
    var since: Moment
    /// The state in force before `since`.
    var wasBelieved: Bool
  }

  /// The stop delay of a device without motion sensor.
  public var pauseDelay: Duration
  /// The sources that count, and their delays.
  public var rules: MotionRules
  private var voices: [MotionSource: Voice] = [:]

  public init(pauseDelay: Duration = .seconds(120), rules: MotionRules = .other) {
    self.pauseDelay = pauseDelay
    self.rules = rules
  }

  /// True if a sensor that detects motion while the receiver sleeps has reported.
  public var hasMotionSensor: Bool { voices[.accelerometer] != nil || voices[.ignition] != nil }

  /// Handles a report of a source.
  public mutating func note(_ source: MotionSource, isActive: Bool, now: Moment) {
    guard let voice = voices[source] else {
      voices[source] = Voice(isActive: isActive, since: now, wasBelieved: false)
      return
    }
    guard voice.isActive != isActive else { return }
    voices[source] = Voice(isActive: isActive, since: now, wasBelieved: believes(source, voice, now))
  }

  /// Removes a source that can report nothing more, because its sensor failed or the receiver sleeps.
  public mutating func forget(_ source: MotionSource) { voices[source] = nil }

  /// True if the last report of a source was motion.
  public func isActive(_ source: MotionSource) -> Bool { voices[source]?.isActive ?? false }

  /// The time of a source's last change; nil before its first report.
  public func since(_ source: MotionSource) -> Moment? { voices[source]?.since }

  /// True while any source counts as active, delays included.
  public func isMoving(now: Moment) -> Bool {
    voices.contains { rules.heeds($0.key) && believes($0.key, $0.value, now) }
  }

  /// True while any source counts as active, without the stop delay of ``isMoving(now:)``.
  public func isRising(now: Moment) -> Bool {
    voices.contains { rules.heeds($0.key) && $0.value.isActive && believes($0.key, $0.value, now) }
  }

  /// The time at which ``isMoving(now:)`` may change without a report; nil if only a report can change it.
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
