import Quantities
import Records
import Tracking

/// Words the reason for a gap in one sentence.
struct GapSentence: Equatable {
  /// The sentence without a full stop.
  let text: String

  /// Limit of the listed causes. Further ones are only counted.
  private static let mostCauses = 3

  init(_ gap: GapSearch.Gap, clock: WallClock, hasPrivacyZones: Bool) {
    let trip = gap.reconstructedMetres.map {
      "; reconstructed trip of \(UnitSystem.metric.distance($0)) in a straight line"
    }
    text = Self.reason(of: gap, clock: clock, hasPrivacyZones: hasPrivacyZones) + (trip ?? "")
  }

  private static func reason(of gap: GapSearch.Gap, clock: WallClock, hasPrivacyZones: Bool) -> String {
    let causes = causes(gap.reasons)
    guard causes.isEmpty else {
      let more = causes.count - mostCauses
      return causes.prefix(mostCauses).joined(separator: ", then ")
        + (more > 0 ? ", and \(StatusText.counted(more, "more cause"))" : "")
    }
    if let perhaps = gap.perhaps {
      let time = Timestamp(iso8601: perhaps.time).map(clock.text) ?? perhaps.time
      return "perhaps rejected fixes (\(perhaps.detail), in the ten minutes before \(time))"
    }
    return "no reason in the log\(hasPrivacyZones ? " (nothing is logged in privacy zones)" : "")"
  }

  /// The distinct causes in the order of the events, with the detail of the first event of each.
  private static func causes(_ reasons: [GapSearch.Reason]) -> [String] {
    var causes: [(description: String, detail: String)] = []
    var isStopped = false
    for reason in reasons {
      guard let kind = EventKind(rawValue: reason.kind) else { continue }
      var cause: (description: String, detail: String)?
      switch kind {
      case .stopped: isStopped = true
      case .started:
        cause = isStopped ? ("the logger was stopped", "") : ("the logger did not run", evidence(reason))
        isStopped = false
      case .fixesRejected where mostRejected(reason) == Rejection.noFix.rawValue:
        cause = ("the receiver had no fix", evidence(reason))
      default: cause = description(kind).map { ($0, evidence(reason)) }
      }
      if let cause, !causes.contains(where: { $0.description == cause.description }) { causes.append(cause) }
    }
    return causes.map { $0.description + $0.detail } + (isStopped ? ["the logger was stopped"] : [])
  }

  /// The reason of most of the rejected fixes.
  private static func mostRejected(_ reason: GapSearch.Reason) -> String? {
    guard case .counts(let counts)? = reason.fields?[.rejections] else { return nil }
    return counts.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
  }

  private static func evidence(_ reason: GapSearch.Reason) -> String {
    reason.detail.isEmpty ? "" : " (\(reason.detail))"
  }

  /// The cause of missing locations that an event indicates; nil for the end of a condition.
  private static func description(_ kind: EventKind) -> String? {
    switch kind {
    case .receiverAsleep: "the receiver was asleep as scheduled"
    case .hostSleeping: "the host was asleep as scheduled"
    case .receiverLost: "the receiver was disconnected"
    case .receiverSilent: "the receiver sent no data"
    case .receiverGarbled: "the receiver sent no valid data"
    case .receiverRestarted: "the receiver restarted"
    case .receiverFault: "the receiver had a fault"
    case .receiverRecoveryStep: "the receiver was being recovered"
    case .receiverSpeed: "the baud rate changed"
    case .fixesRejected: "fixes were rejected"
    case .fixesLeftOut: "recording rules dropped fixes"
    case .configurationChanged: "the settings changed"
    case .configurationRefused: "the configuration was invalid"
    case .remoteApplied, .remoteRolledBack: "a server changed the settings"
    case .updateRolledBack: "a new version failed its trial"
    case .batteryLow: "the battery was low"
    case .powerLevel: "the power level changed"
    case .powerBudget: "the sampling interval was raised to save the battery"
    case .clockStepped, .weekRepaired, .clockLost: "the clock was set"
    case .logSalvaged, .recordsMissing: "records were lost in a damaged log"
    case .recordsDropped: "records were dropped"
    case .storageFailing: "the log could not be written"
    case .storageSlow: "storage was slow"
    case .storageVolatile: "the log is in memory"
    case .brownOut: "the supply voltage was too low"
    case .started: "the logger did not run"
    case .stopped: "the logger was stopped"
    default: nil
    }
  }
}
