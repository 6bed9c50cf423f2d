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
  private static let told = -5.0...125.0
  /// Hysteresis of a contradicting voltage in V: distance by which it must return into the permitted range.
  private static let hysteresis = 0.05

  private let rules: BatteryRules
  private var believed: (percent: Double, at: Moment)?
  private var rival: (percent: Double, at: Moment, readings: Int)?
  private var heldBack = 0
  private(set) var contradictsVoltage = false

  init(_ rules: BatteryRules) { self.rules = rules }

  mutating func judge(_ told: Double?, cellVoltage: Double?, wasReset: Bool, at now: Moment) -> Verdict {
    guard let told else { return Verdict(doubt: .notTold) }
    guard Self.told.contains(told) else { return Verdict(doubt: .outOfRange) }
    let percent = min(max(told, 0), 100)
    if let cellVoltage, let curve = rules.openCircuit {
      let margin = contradictsVoltage ? Self.hysteresis : 0
      contradictsVoltage = !curve.allows(percent, at: cellVoltage, margin: margin)
      if contradictsVoltage {
        rival = nil
        return Verdict(doubt: .contradictsVoltage)
      }
    }
    guard let believed, !wasReset, !isWithinReach(percent, of: believed.percent, since: believed.at, at: now)
    else {
      return believe(percent, at: now)
    }
    // The cell voltage confirms the new value: the battery was exchanged, or the gauge corrected itself.
    if let cellVoltage, let curve = rules.openCircuit, !curve.allows(believed.percent, at: cellVoltage) {
      return believe(percent, at: now)
    }
    let agreeing: Int
    if let rival, isWithinReach(percent, of: rival.percent, since: rival.at, at: now) {
      agreeing = rival.readings + 1
    } else {
      agreeing = 1
    }
    guard agreeing < rules.confirmations else { return believe(percent, at: now) }
    rival = (percent, now, agreeing)
    heldBack = min(heldBack + 1, 1000)
    if heldBack / 2 >= rules.confirmations { return Verdict(doubt: .unsteady) }
    return Verdict(percent: believed.percent, doubt: .jumped)
  }

  private mutating func believe(_ percent: Double, at now: Moment) -> Verdict {
    believed = (percent, now)
    rival = nil
    heldBack = 0
    return Verdict(percent: percent)
  }

  private func isWithinReach(
    _ percent: Double, of other: Double, since then: Moment, at now: Moment
  ) -> Bool {
    let hours = max(0, (now - then).inSeconds) / 3600
    return abs(percent - other) <= rules.correction + rules.largestRate * hours
  }
}
