import Quantities

/// Decides which of a gauge's percentages to trust.
struct ChargeFilter: Sendable {
  /// The result of filtering a charge.
  struct Verdict: Hashable, Sendable {
    /// 0...100.
    var percent: Double?
    var doubt: ChargeDoubt?
  }

  /// Accepted charges in percent. Gauges slightly exceed both ends of the scale, but values beyond this indicate a bus
  /// or chip fault.
  private static let reportedPercent = -5.0...125.0
  /// Hysteresis of a contradicting voltage in V: distance by which it must return into the permitted range.
  private static let hysteresis = 0.05

  private let rules: BatteryRules
  private var accepted: (percent: Double, at: Moment)?
  private var pending: (percent: Double, at: Moment, readings: Int)?
  private var withheld = 0
  private(set) var contradictsVoltage = false

  init(_ rules: BatteryRules) { self.rules = rules }

  mutating func assess(_ reportedPercent: Double?, cellVoltage: Double?, wasReset: Bool, at now: Moment)
    -> Verdict
  {
    guard let reportedPercent else { return Verdict(doubt: .notReported) }
    guard Self.reportedPercent.contains(reportedPercent) else { return Verdict(doubt: .outOfRange) }
    let percent = min(max(reportedPercent, 0), 100)
    if let cellVoltage, let curve = rules.openCircuit {
      let margin = contradictsVoltage ? Self.hysteresis : 0
      contradictsVoltage = !curve.allows(percent, at: cellVoltage, margin: margin)
      if contradictsVoltage {
        pending = nil
        return Verdict(doubt: .contradictsVoltage)
      }
    }
    guard let accepted, !wasReset, !isWithinReach(percent, of: accepted.percent, since: accepted.at, at: now)
    else {
      return accept(percent, at: now)
    }
    // The cell voltage confirms the new value: the battery was exchanged, or the gauge corrected itself.
    if let cellVoltage, let curve = rules.openCircuit, !curve.allows(accepted.percent, at: cellVoltage) {
      return accept(percent, at: now)
    }
    let agreeing: Int
    if let pending, isWithinReach(percent, of: pending.percent, since: pending.at, at: now) {
      agreeing = pending.readings + 1
    } else {
      agreeing = 1
    }
    guard agreeing < rules.confirmations else { return accept(percent, at: now) }
    pending = (percent, now, agreeing)
    withheld = min(withheld + 1, 1000)
    if withheld / 2 >= rules.confirmations { return Verdict(doubt: .unsteady) }
    return Verdict(percent: accepted.percent, doubt: .jumped)
  }

  private mutating func accept(_ percent: Double, at now: Moment) -> Verdict {
    accepted = (percent, now)
    pending = nil
    withheld = 0
    return Verdict(percent: percent)
  }

  private func isWithinReach(
    _ percent: Double, of other: Double, since then: Moment, at now: Moment
  ) -> Bool {
    let hours = max(0, (now - then).inSeconds) / 3600
    return abs(percent - other) <= rules.correction + rules.largestRate * hours
  }
}
