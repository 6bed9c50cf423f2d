/// Pseudorange error statistics: one-sigma errors of latitude, longitude and altitude in metres.
struct GST: EpochSentence {
  static let kind = MessageKind.gst
  static let supplies: Supplies = [.errorEllipse]

  let talker: Talker
  let time: EpochTime?
  let ellipse: ErrorEllipse?

  init(_ fields: inout SentenceFields, talker: Talker) {
    self.talker = talker
    time = fields.next().timeOfDay.map(EpochTime.init(printed:))
    fields.skip(4)
    ellipse = ErrorEllipse(
      latitude: fields.next().decimal, longitude: fields.next().decimal, altitude: fields.next().decimal)
  }

  func contribute(to epoch: inout Epoch) {
    epoch.bound(by: ellipse, rank: Rank(talker, .fullPosition))
  }
}

/// One-sigma errors in metres.
struct ErrorEllipse: Equatable {
  var latitude: Double
  var longitude: Double
  var altitude: Double?

  var horizontal: Double { (latitude * latitude + longitude * longitude).squareRoot() }

  /// Creates an ellipse; nil without both horizontal errors.
  init?(latitude: Double?, longitude: Double?, altitude: Double?) {
    guard let latitude, let longitude else { return nil }
    self.latitude = latitude
    self.longitude = longitude
    self.altitude = altitude
  }
}
