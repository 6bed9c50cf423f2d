import Quantities

/// Combines the motion sensors and the receiver's fixes into one decision: the device moves or is stationary.
///
/// One active source means moving; if all are quiet, the device has stopped. Every source has a delay before its
/// start counts and one before its end counts. A source without a report does not count. Owned by ``ReceiverSchedule``.
public struct MotionEvidence: Equatable, Sendable {
  private struct SourceState: Equatable {
    package var isActive: Bool
    var since: Moment
    /// The state in force before `since`.
    var wasCounted: Bool
  }

  /// The stop delay of a device without motion sensor.
  public var pauseDelay: Duration
  /// The sources that count, and their delays.
  public var rules: MotionRules
  private var states: [MotionSource: SourceState] = [:]

  public init(pauseDelay: Duration = .seconds(120), rules: MotionRules = .other) {
    self.pauseDelay = pauseDelay
    self.rules = rules
  }

  /// True if a sensor that detects motion while the receiver sleeps has reported.
  public var hasMotionSensor: Bool { states[.accelerometer] != nil || states[.ignition] != nil }

  /// Handles a report of a source.
  public mutating func record(_ source: MotionSource, isActive: Bool, now: Moment) {
    guard let state = states[source] else {
      states[source] = SourceState(isActive: isActive, since: now, wasCounted: false)
      return
    }
    guard state.isActive != isActive else { return }
    states[source] = SourceState(
      isActive: isActive, since: now, wasCounted: countsAsActive(source, state, now))
  }

  /// Continues with a source that counted as active in an earlier run; epochs of the time before `moment` may follow.
  mutating func resume(_ source: MotionSource, since moment: Moment) {
    states[source] = SourceState(isActive: true, since: moment, wasCounted: true)
  }

  /// Removes a source that can report nothing more, because its sensor failed or the receiver sleeps.
  public mutating func forget(_ source: MotionSource) { states[source] = nil }

  /// True if the last report of a source was motion.
  public func isActive(_ source: MotionSource) -> Bool { states[source]?.isActive ?? false }

  /// The time of a source's last change; nil before its first report.
  public func since(_ source: MotionSource) -> Moment? { states[source]?.since }

  /// True while any source counts as active, delays included.
  public func isMoving(now: Moment) -> Bool {
    states.contains { rules.uses($0.key) && countsAsActive($0.key, $0.value, now) }
  }

  /// True while any source counts as active, without the stop delay of ``isMoving(now:)``.
  public func isRising(now: Moment) -> Bool {
    states.contains { rules.uses($0.key) && $0.value.isActive && countsAsActive($0.key, $0.value, now) }
  }

  /// The sources that count as active, delays included.
  func activeSources(now: Moment) -> [MotionSource] {
    MotionSource.allCases.filter { source in
      rules.uses(source) && states[source].map { countsAsActive(source, $0, now) } ?? false
    }
  }

  /// The sensors besides the receiver whose last report was no motion.
  var quietSources: [MotionSource] {
    [.accelerometer, .ignition, .voltage, .charger].filter { rules.uses($0) && states[$0]?.isActive == false }
  }

  /// The time at which ``isMoving(now:)`` may change without a report; nil if only a report can change it.
  public func nextTimeout(now: Moment) -> Moment? {
    states.compactMap { source, state -> Moment? in
      guard rules.uses(source), state.isActive != state.wasCounted else { return nil }
      let change = state.since + delay(of: source, state)
      return change > now ? change : nil
    }.min()
  }

  private func countsAsActive(_ source: MotionSource, _ state: SourceState, _ now: Moment) -> Bool {
    guard state.isActive != state.wasCounted else { return state.isActive }
    return now >= state.since + delay(of: source, state) ? state.isActive : state.wasCounted
  }

  private func delay(of source: MotionSource, _ state: SourceState) -> Duration {
    let delays = delays(of: source)
    return state.isActive ? delays.start : delays.stop
  }

  private func delays(of source: MotionSource) -> MotionRules.Delays {
    let rules = rules.yieldsToIgnition && states[.ignition] != nil ? .other : rules
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
