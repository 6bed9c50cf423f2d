import Quantities

/// Recommended minimum: time, status, position, speed in knots, course, date, mode.
///
/// Field 13 (navigational status) is ignored: almost all modules print `V` there, even with a good fix.
struct RMC: EpochSentence {
  static let kind = MessageKind.rmc
  static let supplies: Supplies = [.position, .status, .velocity, .date]

  let talker: Talker
  let time: EpochTime?
  let fixStatus: FixStatus
  let position: Position?
  let velocity: Velocity?
  let date: CalendarDate?

  init(_ fields: inout SentenceFields, talker: Talker) {
    self.talker = talker
    time = fields.next().timeOfDay.map(EpochTime.init(printed:))
    let status = fields.nextLetter()
    position = fields.position()
    velocity = Velocity(knots: fields.next().decimal, course: fields.next().decimal)
    date = fields.next().date
    fields.skipValueAndLetter()
    fixStatus = FixStatus(status: status, mode: ModeIndicator(fields.nextLetter()))
  }

  var hasValidPosition: Bool { fixStatus.validity == .valid && position != nil }

  func contribute(to epoch: inout Epoch) {
    let rank = Rank(talker, .recommendedMinimum)
    epoch.state(fixStatus, rank: rank)
    if fixStatus.validity != .invalid { epoch.place(position, rank: rank) }
    if fixStatus.validity == .valid { epoch.move(velocity, rank: rank) }
    epoch.timed.speed = velocity?.speed
    epoch.date(date, at: time, rank: rank)
  }
}
