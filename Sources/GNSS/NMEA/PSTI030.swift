import Quantities

/// SkyTraq `$PSTI,030`: what it has beyond RMC and GGA, the vertical speed and the state of RTK.
///
/// SkyTraq application note AN0024, "Recommended minimum 3D GNSS data".
struct PSTI030: EpochSentence {
  static let kind = MessageKind.psti030
  static let supplies: Supplies = [.climb]

  let time: EpochTime?
  /// m/s, up positive; nil without status A.
  let climb: Double?
  /// Seconds since the last correction; nil while none is used.
  let correctionAge: Double?
  /// Above 3 the ambiguities are taken for solved; nil while RTK does not run.
  let ambiguityRatio: Double?

  /// `fields` stand behind `PSTI,030`.
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
