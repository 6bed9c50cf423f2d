import Quantities

/// Detects motion by the supply: voltage and charger, each with a start delay and a stop delay.
///
/// If nothing else has moved for long, the source stops counting. It counts again after a fix that moves, or if it
/// begins again after a long pause. Without a gauge there is no report. Owned by ``Tracker``.
package struct SupplyMotion: Equatable, Sendable {
  /// A change of a source. Nil: the source can report nothing more.
  package struct Change: Equatable, Sendable {
    package var source: MotionSource
    package var isActive: Bool?
  }

  private struct SourceState: Equatable {
    /// The state by the last reading; nil while unknown.
    var isHigh: Bool?
    var since = Moment.zero
    /// The last reported state and its time.
    var reported: Bool?
    var reportedSince = Moment.zero
    /// True while the source does not count, because nothing else moved for a long time.
    var isIgnored = false
  }

  package private(set) var rules: SupplyRules
  private var reading: SupplyReading?
  private var voltage = SourceState()
  private var charger = SourceState()
  /// The last time at which something else moved.
  package private(set) var confirmedAt: Moment?

  package init(rules: SupplyRules) { self.rules = rules }

  /// True while the supply reports motion.
  package var isMoving: Bool { voltage.reported == true || charger.reported == true }

  /// Processes a reading; nil if the gauge does not respond.
  package mutating func take(_ reading: SupplyReading?, now: Moment) -> [Change] {
    self.reading = reading
    let level = rules.voltage.map { voltage.isHigh == true ? $0 * SupplyRules.release : $0 }
    let isHigh = level.flatMap { level in reading?.voltage.map { $0 >= level } }
    Self.update(isHigh, &voltage, now: now)
    Self.update(rules.reactsToCharger ? reading?.isCharging : nil, &charger, now: now)
    return evaluate(now: now)
  }

  /// Applies other rules to the last reading.
  package mutating func adopt(_ rules: SupplyRules, now: Moment) -> [Change] {
    self.rules = rules
    return take(reading, now: now)
  }

  /// True if a moving fix would confirm the supply.
  package var isHigh: Bool { voltage.isHigh == true || charger.isHigh == true }

  /// Registers that something else moves, which confirms the supply. Only a fix makes an ignored source count again; a
  /// slammed door does not.
  package mutating func confirm(byFix: Bool = false, now: Moment) {
    confirmedAt = now
    guard byFix else { return }
    voltage.isIgnored = false
    charger.isIgnored = false
  }

  package var nextTimeout: Moment? {
    Moment.earliest(due(voltage, after: rules.voltageHold), due(charger, after: SupplyRules.delay))
  }

  package mutating func handleTimeout(now: Moment) -> [Change] { evaluate(now: now) }

  private static func update(_ isHigh: Bool?, _ state: inout SourceState, now: Moment) {
    guard isHigh != state.isHigh else { return }
    if isHigh == true, now - state.since >= SupplyRules.longestUnconfirmed { state.isIgnored = false }
    state.isHigh = isHigh
    state.since = now
  }

  /// The time at which the reported state changes without another reading.
  private func due(_ state: SourceState, after holdTime: Duration) -> Moment? {
    guard let isHigh = state.isHigh, !(isHigh && state.isIgnored) else { return nil }
    guard state.reported == isHigh else { return state.since + (isHigh ? holdTime : SupplyRules.delay) }
    return isHigh
      ? max(state.reportedSince, confirmedAt ?? state.reportedSince) + SupplyRules.longestUnconfirmed : nil
  }

  private mutating func evaluate(now: Moment) -> [Change] {
    var changes: [Change] = []
    let ofVoltage = due(voltage, after: rules.voltageHold)
    if let change = Self.evaluate(&voltage, .voltage, due: ofVoltage, now: now) { changes.append(change) }
    let ofCharger = due(charger, after: SupplyRules.delay)
    if let change = Self.evaluate(&charger, .charger, due: ofCharger, now: now) { changes.append(change) }
    return changes
  }

  private static func evaluate(
    _ state: inout SourceState, _ source: MotionSource, due: Moment?, now: Moment
  ) -> Change? {
    var reported = state.reported
    if state.isHigh == nil {
      reported = nil
    } else if let due, now >= due {
      // A reported rise expires if nothing confirms it.
      state.isIgnored = state.reported == true && state.isHigh == true
      reported = state.isIgnored ? false : state.isHigh
    }
    guard reported != state.reported else { return nil }
    state.reported = reported
    state.reportedSince = now
    return Change(source: source, isActive: reported)
  }
}
