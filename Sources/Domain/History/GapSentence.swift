import Quantities
import Records
import Tracking

/// Words the reason for a gap in one sentence.
public struct GapSentence: Equatable, Sendable {
  /// The sentence without a full stop.
  public let text: String

  /// Limit of the listed causes. Further ones are only counted.
  private static let mostCauses = 3

  /// Words the reason. `hasPrivacyZones` is true if a privacy zone may be the reason.
  public init(_ gap: GapSearch.Gap, clock: WallClock, hasPrivacyZones: Bool) {
    let trip = gap.reconstructedMetres.map {
      "; reconstructed trip of \($0.metricDistance) in a straight line"
    }
    text = Self.reason(of: gap, clock: clock, hasPrivacyZones: hasPrivacyZones) + (trip ?? "")
  }

  private static func reason(of gap: GapSearch.Gap, clock: WallClock, hasPrivacyZones: Bool) -> String {
    let causes = causes(gap.reasons)
    guard causes.isEmpty else {
      let more = causes.count - mostCauses
      return causes.prefix(mostCauses).joined(separator: ", then ")
        + (more > 0 ? ", and \(more) more cause\(more == 1 ? "" : "s")" : "")
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
    let stopped = (description: EventKind.stopped.definition.gap.cause ?? "", detail: "")
    var isStopped = false
    for reason in reasons {
      guard let kind = EventKind(rawValue: reason.kind) else { continue }
      var cause: (description: String, detail: String)?
      switch kind {
      case .stopped: isStopped = true
      case .started where isStopped:
        cause = stopped
        isStopped = false
      case .fixesRejected where mostRejected(reason) == Rejection.noFix.rawValue:
        cause = ("the receiver had no fix", evidence(reason))
      default: cause = kind.definition.gap.cause.map { ($0, evidence(reason)) }
      }
      if let cause, !causes.contains(where: { $0.description == cause.description }) { causes.append(cause) }
    }
    return causes.map { $0.description + $0.detail } + (isStopped ? [stopped.description] : [])
  }

  /// The reason of most of the rejected fixes.
  private static func mostRejected(_ reason: GapSearch.Reason) -> String? {
    guard case .counts(let counts)? = reason.fields?[.rejections] else { return nil }
    return counts.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
  }

  private static func evidence(_ reason: GapSearch.Reason) -> String {
    reason.detail.isEmpty ? "" : " (\(reason.detail))"
  }
}
