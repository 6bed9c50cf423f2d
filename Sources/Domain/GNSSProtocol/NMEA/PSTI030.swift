import Quantities

/// SkyTraq `$PSTI,030`: the fields that RMC and GGA do not have, vertical speed and RTK state.
///
/// Source: SkyTraq application note AN0024, "Recommended minimum 3D GNSS data".
struct PSTI030: EpochSentence {
  static let kind = MessageKind.psti030
  static let supplies: Supplies = [.climb]

  let time: EpochTime?
  /// Vertical speed in m/s, up positive; nil without status A.
  let climb: Double?
  /// Seconds since the last correction; nil if none is used.
  let correctionAge: Double?
  /// RTK ratio; above 3 the ambiguities count as resolved. Nil while RTK is off.
  let ambiguityRatio: Double?

  /// Parses the fields after `PSTI,030`.
  init(_ fields: inout SentenceFields) {
    time = fields.next().timeOfDay.map(EpochTime.init(printed:))
    let isValid = fields.nextLetter() == UInt8(ascii: "A")
    fields.skip(7)
    let up = fields.next().decimal
    climb = isValid ? up : nil
    fields.skip(2)
    correctionAge = fields.next().decimal.flatMap { $0 > 0 ? $0 : nil }
    ambiguityRatio = fields.next().decimal.flatMap { $0 > 0 ? $0 : nil }
  }

  func contribute(to epoch: inout Epoch) { epoch.climb(climb) }
}
