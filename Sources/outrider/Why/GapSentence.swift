import Quantities
import Records
import Tracking

/// Why a stretch of the log has no location, in one sentence.
struct GapSentence: Equatable {
  /// Without a full stop.
  let text: String

  /// More causes than these are only counted.
  private static let mostCauses = 3

  init(_ gap: GapSearch.Gap, clock: WallClock, hasPrivacyZones: Bool) {
    let trip = gap.reconstructedMetres.map {
      "; reconstructed: a trip of \(UnitSystem.metric.distance($0)) in a straight line"
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
      return "perhaps fixes were rejected (\(perhaps.detail), counted over the ten minutes before \(time))"
    }
    return "the log does not say why\(hasPrivacyZones ? "; of a privacy zone it says nothing" : "")"
  }

  /// Each cause once, in the order in which they came, with the detail of the first event.
  private static func causes(_ reasons: [GapSearch.Reason]) -> [String] {
    var causes: [(words: String, detail: String)] = []
    var isStopped = false
    for reason in reasons {
      guard let kind = EventKind(rawValue: reason.kind) else { continue }
      var cause: (words: String, detail: String)?
      switch kind {
      case .stopped: isStopped = true
      case .started:
        cause = isStopped ? ("the logger was stopped", "") : ("the logger did not run", told(reason))
        isStopped = false
      case .fixesRejected where reason.detail.hasPrefix("\(Rejection.noFix.rawValue) "):
        cause = ("the receiver had no fix", told(reason))
      default: cause = words(kind).map { ($0, told(reason)) }
      }
      if let cause, !causes.contains(where: { $0.words == cause.words }) { causes.append(cause) }
    }
    return causes.map { $0.words + $0.detail } + (isStopped ? ["the logger was stopped"] : [])
  }

  private static func told(_ reason: GapSearch.Reason) -> String {
    reason.detail.isEmpty ? "" : " (\(reason.detail))"
  }

  /// What an event means for the locations that are missing; nil for the end of a condition, which is no cause.
  private static func words(_ kind: EventKind) -> String? {
    switch kind {
    case .receiverResting: "the receiver was asleep by plan"
    case .hostSleeping: "the host was asleep by plan"
    case .receiverLost: "the receiver was gone"
    case .receiverSilent: "the receiver sent nothing"
    case .receiverGarbled: "the receiver sent nothing readable"
    case .receiverRestarted: "the receiver restarted"
    case .receiverTrouble: "the receiver reported a fault"
    case .receiverRemedy: "the receiver was being recovered"
    case .receiverSpeed: "the speed of the receiver's line changed"
    case .fixesRejected: "fixes were rejected"
    case .fixesLeftOut: "the settings left fixes out"
    case .configurationChanged: "the settings changed"
    case .remoteApplied, .remoteWentBack: "a server changed the settings"
    case .batteryLow: "the battery was low"
    case .powerLevel: "the power level changed"
    case .powerBudget: "positions were taken less often to save the battery"
    case .clockStepped, .weekRepaired, .clockLost: "the clock was set"
    case .logSalvaged, .recordsMissing: "records were lost to damage of the log"
    case .recordsDropped: "records were dropped"
    case .storageFailing: "the log could not be written"
    case .storageSlow: "the medium was slow"
    case .storageVolatile: "the log lies in memory"
    case .brownOut: "the supply of the board was too low"
    case .started: "the logger did not run"
    case .stopped: "the logger was stopped"
    default: nil
    }
  }
}
