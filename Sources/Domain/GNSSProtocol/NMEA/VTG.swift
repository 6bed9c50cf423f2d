import Quantities

/// Course and speed over ground, without a time: it belongs to the current epoch.
struct VTG: EpochSentence {
  static let kind = MessageKind.vtg
  static let supplies: Supplies = [.velocity]

  let talker: Talker
  let velocity: Velocity?

  static var isTimed: Bool { false }
  var time: EpochTime? { nil }

  init(_ fields: inout SentenceFields, talker: Talker) {
    self.talker = talker
    let course = fields.next().decimal
    guard fields.nextLetter() == UInt8(ascii: "T") else {
      // The form before NMEA 2.0: true course, magnetic course, knots, km/h and no letters.
      velocity = Velocity(knots: fields.next().decimal, course: course)
      return
    }
    fields.skipValueAndLetter()
    let knots = fields.next().decimal
    fields.skipLetter()
    let kilometresPerHour = fields.next()
    fields.skipLetter()
    switch ModeIndicator(fields.nextLetter()) {
    case .unusable: velocity = nil
    case .solution, .estimated, nil:
      velocity =
        Velocity(knots: knots, course: course)
        ?? Velocity(metresPerSecond: kilometresPerHour.decimal.map { $0 / 3.6 }, course: course)
    }
  }

  func contribute(to epoch: inout Epoch) {
    epoch.untimed.speed = epoch.untimed.speed ?? velocity?.speed
    epoch.move(velocity, rank: Rank(talker, .positionOnly))
  }
}
