import Quantities

/// Position, time, status, mode. The time follows the position.
///
/// The old form ends after the longitude; without time and status, its position is never valid.
struct GLL: EpochSentence {
  static let kind = MessageKind.gll
  static let supplies: Supplies = [.position, .status]

  let talker: Talker
  let time: EpochTime?
  let fixStatus: FixStatus
  let position: Position?

  init(_ fields: inout SentenceFields, talker: Talker) {
    self.talker = talker
    position = fields.position()
    time = fields.next().timeOfDay.map(EpochTime.init(printed:))
    fixStatus = FixStatus(status: fields.nextLetter(), mode: ModeIndicator(fields.nextLetter()))
  }

  var hasValidPosition: Bool { fixStatus.validity == .valid && position != nil }

  func contribute(to epoch: inout Epoch) {
    let rank = Rank(talker, .positionOnly)
    epoch.state(fixStatus, rank: rank)
    if fixStatus.validity != .invalid { epoch.place(position, rank: rank) }
  }
}
