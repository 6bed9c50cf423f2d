import Quantities

/// Position, time, status, mode. The time follows the position.
///
/// The old form ends after the longitude; without time and status, its position is never valid.
struct GLL: EpochSentence {
  static let kind = MessageKind.gll
  static let supplies: Supplies = [.position, .status]

  let talker: Talker
  let time: EpochTime?
  let claim: Claim
  let position: Position?

  init(_ fields: inout SentenceFields, talker: Talker) {
    self.talker = talker
    position = fields.position()
    time = fields.next().timeOfDay.map(EpochTime.init(printed:))
    claim = Claim(status: fields.nextLetter(), mode: ModeIndicator(fields.nextLetter()))
  }

  var vouchesForPosition: Bool { claim.verdict == .vouches && position != nil }

  func contribute(to epoch: inout Epoch) {
    let rank = Rank(talker, .positionOnly)
    epoch.state(claim, rank: rank)
    if claim.verdict != .denies { epoch.place(position, rank: rank) }
  }
}
