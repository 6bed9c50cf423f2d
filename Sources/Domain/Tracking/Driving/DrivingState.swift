import Quantities

/// The driving state that survives a restart: begun events whose end is not logged.
struct DrivingState: Equatable, Sendable {
  var speeding: DrivingEpisode?
  var idling: DrivingEpisode?
  var isTowed = false

  /// The fields of its line in ``TrackerState``. An episode without a date is meaningless after a restart.
  var text: String {
    let peak = speeding.flatMap { Int64(exactly: ($0.peak * 1000).rounded()) }
    return [
      StateFields.text(speeding?.time?.milliseconds), StateFields.text(peak),
      StateFields.text(idling?.time?.milliseconds), isTowed ? "1" : "0",
    ].joined(separator: "\t")
  }

  init(speeding: DrivingEpisode? = nil, idling: DrivingEpisode? = nil, isTowed: Bool = false) {
    (self.speeding, self.idling, self.isTowed) = (speeding, idling, isTowed)
  }

  init(_ fields: inout StateFields) {
    let began: Int64? = fields.number()
    let peak: Int64? = fields.number()
    let idlingStart: Int64? = fields.number()
    let towed: Int? = fields.number()
    speeding = began.map {
      DrivingEpisode(begin: nil, time: Timestamp(milliseconds: $0), peak: Double(peak ?? 0) / 1000)
    }
    idling = idlingStart.map { DrivingEpisode(begin: nil, time: Timestamp(milliseconds: $0)) }
    isTowed = towed == 1
  }
}
