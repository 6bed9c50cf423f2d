import Quantities

/// Fix dimension and dilutions of precision, without a time, once for each system on newer receivers.
///
/// The first one with a value speaks for the epoch; of the dimensions the highest counts, since some
/// receivers print 1 for a system they do not use.
struct GSA: EpochSentence {
  static let kind = MessageKind.gsa
  static let supplies: Supplies = [.dimension, .horizontalDilution]

  let talker: Talker
  /// 1 no fix, 2 two-dimensional, 3 three-dimensional.
  let dimension: UInt8?
  let positionDilution: Double?
  let horizontalDilution: Double?
  let verticalDilution: Double?

  static var isTimed: Bool { false }
  var time: EpochTime? { nil }

  init(_ fields: inout SentenceFields, talker: Talker) {
    self.talker = talker
    fields.skip(1)
    dimension = fields.next().whole.flatMap { (1...3).contains($0) ? UInt8($0) : nil }
    fields.skip(12)
    positionDilution = fields.next().dilution
    horizontalDilution = fields.next().dilution
    verticalDilution = fields.next().dilution
  }

  func contribute(to epoch: inout Epoch) {
    epoch.untimed.horizontalDilution = epoch.untimed.horizontalDilution ?? horizontalDilution
    epoch.dilute(
      position: positionDilution, horizontal: horizontalDilution, vertical: verticalDilution,
      dimension: dimension ?? 0)
  }
}
