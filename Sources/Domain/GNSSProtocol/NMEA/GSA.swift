import Quantities

/// Fix mode and dilutions of precision, without a time; newer receivers send one per system.
///
/// The first one with values is used for the epoch. Of the modes the highest counts, because some receivers
/// print 1 for an unused system.
struct GSA: EpochSentence {
  static let kind = MessageKind.gsa
  static let supplies: Supplies = [.dimension, .horizontalDilution]

  /// Fix mode: 1 no fix, 2 two-dimensional, 3 three-dimensional.
  let dimension: UInt8?
  /// The fields from the first satellite on. Valid as long as the sentence.
  private let satellites: SentenceFields

  static var isTimed: Bool { false }
  var time: EpochTime? { nil }

  init(_ fields: inout SentenceFields, talker: Talker) {
    fields.skipLetter()
    dimension = fields.next().whole.flatMap { (1...3).contains($0) ? UInt8($0) : nil }
    satellites = fields
  }

  func contribute(to epoch: inout Epoch) {
    // With several systems, most sentences repeat the values of the first.
    guard !epoch.isDiluted else { return epoch.dilute(dimension: dimension ?? 0) }
    var fields = satellites
    fields.skip(12)
    let position = fields.next().dilution
    let horizontal = fields.next().unboundedDilution
    let vertical = fields.next().dilution
    epoch.untimed.horizontalDilution = epoch.untimed.horizontalDilution ?? Accuracy.finite(horizontal)
    epoch.dilute(
      position: position, horizontal: horizontal, vertical: vertical, dimension: dimension ?? 0)
  }
}
