import Quantities

/// A gap as `outrider why --json` and the local API print it: one JSON object, times in UTC.
public struct GapReport: Equatable, Encodable, Sendable {
  public var from: String
  public var to: String?
  public var seconds: Double?
  /// Rounded to 0.1 m.
  public var metres: Double?
  public var sentence: String
  public var perhaps: GapSearch.Reason?
  public var reasons: [GapSearch.Reason]

  public init(_ gap: GapSearch.Gap, hasPrivacyZones: Bool) {
    from = gap.from.iso8601()
    to = gap.to?.iso8601()
    seconds = gap.to.map { ($0 - gap.from).inSeconds }
    metres = gap.metres.map { ($0 * 10).rounded() / 10 }
    sentence = GapSentence(gap, clock: WallClock { _ in .zero }, hasPrivacyZones: hasPrivacyZones).text
    perhaps = gap.perhaps
    reasons = gap.reasons
  }
}
