/// The satellites used and the dilutions of GSA.
///
/// It refers to the bytes of its sentence and must not outlive it. `$PQGSA` of Qualcomm modems has the same
/// form; its satellites are those of BeiDou and QZSS, regardless of its system id.
struct UsedSatellites {
  let positionDilution: Double?
  let horizontalDilution: Double?
  let verticalDilution: Double?
  private let system: SatelliteSystem?
  private var fields: SentenceFields
  private var remaining = 12

  /// Parses the fields after the address.
  init(_ fields: SentenceFields, talker: Talker, isVendors: Bool = false) {
    var fields = fields
    fields.skip(2)
    self.fields = fields
    fields.skip(12)
    positionDilution = fields.next().dilution
    horizontalDilution = fields.next().dilution
    verticalDilution = fields.next().dilution
    let named = SatelliteSystem(systemID: fields.next().hexadecimalDigit.map(Int.init))
    system = isVendors ? .beidou : named ?? SatelliteSystem(talker)
  }

  /// The next satellite used; nil at the end.
  mutating func next() -> SatelliteID? {
    while remaining > 0 {
      remaining -= 1
      if let number = fields.next().whole, let id = SatelliteID(printed: number, system: system) {
        return id
      }
    }
    return nil
  }
}
