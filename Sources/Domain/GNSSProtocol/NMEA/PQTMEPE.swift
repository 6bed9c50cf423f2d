/// Quectel `$PQTMEPE`: the receiver's own error estimates in metres, without a time.
///
/// Source: LC29H and LC86G GNSS Protocol Specification.
struct PQTMEPE: EpochSentence {
  static let kind = MessageKind.pqtmepe
  static let supplies: Supplies = [.receiverAccuracy]
  static var isTimed: Bool { false }

  var time: EpochTime? { nil }
  /// Horizontal accuracy in metres; infinite without an estimate, nil if unknown.
  let horizontalAccuracy: Double?
  let verticalAccuracy: Double?

  /// Parses the fields after the address. Only version 2 is supported; others leave all values nil.
  init(_ fields: inout SentenceFields) {
    guard fields.next().whole == 2 else {
      horizontalAccuracy = nil
      verticalAccuracy = nil
      return
    }
    fields.skip(2)
    verticalAccuracy = fields.next().decimal.flatMap(Accuracy.metres)
    horizontalAccuracy = fields.next().decimal.flatMap(Accuracy.horizontal)
  }

  func contribute(to epoch: inout Epoch) {
    epoch.estimate(horizontal: horizontalAccuracy, vertical: verticalAccuracy)
  }
}
