/// Satellite fault detection: the expected errors of the position in metres.
///
/// They are used only if no better estimate exists.
struct GBS: EpochSentence {
  static let kind = MessageKind.gbs
  static let supplies: Supplies = [.expectedErrors]

  let talker: Talker
  let time: EpochTime?
  let ellipse: ErrorEllipse?

  init(_ fields: inout SentenceFields, talker: Talker) {
    self.talker = talker
    time = fields.next().timeOfDay.map(EpochTime.init(printed:))
    ellipse = ErrorEllipse(
      latitude: fields.next().decimal, longitude: fields.next().decimal, altitude: fields.next().decimal)
  }

  func contribute(to epoch: inout Epoch) {
    epoch.expect(ellipse, rank: Rank(talker, .fullPosition))
  }
}
