import Quantities

/// Fix of several systems: like GGA, with one mode letter per system and no unit fields.
struct GNS: FullPosition {
  static let kind = MessageKind.gns

  let talker: Talker
  let time: EpochTime?
  let fixStatus: FixStatus
  let position: Position?
  let satellites: UInt8?
  /// Infinite if the receiver calls it unknown.
  let horizontalDilution: Double?
  let altitude: Altitude?

  init(_ fields: inout SentenceFields, talker: Talker) {
    self.talker = talker
    time = fields.next().timeOfDay.map(EpochTime.init(printed:))
    position = fields.position()
    fixStatus = Self.fixStatus(modes: fields.next())
    satellites = fields.next().whole.flatMap(UInt8.init(exactly:))
    horizontalDilution = fields.next().unboundedDilution
    altitude = Altitude(aboveSeaLevel: fields.next().decimal, separation: fields.next().decimal)
  }

  /// The status by the mode letters; the best system decides.
  private static func fixStatus(modes: SentenceField) -> FixStatus {
    var best: FixKind?
    var isEstimated = false
    for letter in modes.bytes {
      switch ModeIndicator(letter) {
      case .solution(let kind): best = max(best ?? kind, kind)
      case .estimated: isEstimated = true
      case .unusable, nil: break
      }
    }
    if let best { return FixStatus(validity: .valid, kind: best) }
    return isEstimated
      ? FixStatus(validity: .undetermined, kind: .deadReckoning) : FixStatus(validity: .invalid, kind: nil)
  }

  private static func max(_ a: FixKind, _ b: FixKind) -> FixKind { a.rawValue < b.rawValue ? b : a }
}
