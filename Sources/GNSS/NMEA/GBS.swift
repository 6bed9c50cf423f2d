/// Satellite fault detection: the expected errors of the position in metres.
struct GBS: Equatable {
  let time: EpochTime?
  let ellipse: ErrorEllipse?

  init(_ fields: inout SentenceFields) {
    time = fields.next().timeOfDay.map(EpochTime.init(printed:))
    ellipse = ErrorEllipse(
      latitude: fields.next().decimal, longitude: fields.next().decimal, altitude: fields.next().decimal)
  }
}
