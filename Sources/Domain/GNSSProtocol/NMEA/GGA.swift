import Quantities

/// Position fix: time, position, quality, satellites, HDOP, altitude, geoid separation.
struct GGA: FullPosition {
  static let kind = MessageKind.gga

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
    fixStatus = Self.fixStatus(quality: fields.next().whole)
    satellites = fields.next().whole.flatMap(UInt8.init(exactly:))
    horizontalDilution = fields.next().unboundedDilution
    let aboveSeaLevel = fields.next().decimal
    fields.skipLetter()
    altitude = Altitude(aboveSeaLevel: aboveSeaLevel, separation: fields.next().decimal)
  }

  /// The status for a quality. 6 is dead reckoning, which may repeat the last position: it requires a status
  /// in another sentence. 7 (manual input) and 8 (simulation) are no positions of the device.
  private static func fixStatus(quality: Int?) -> FixStatus {
    switch quality {
    case 1, 3: FixStatus(validity: .valid, kind: .threeDimensional)
    case 2: FixStatus(validity: .valid, kind: .differential)
    case 4: FixStatus(validity: .valid, kind: .realTimeKinematicFixed)
    case 5: FixStatus(validity: .valid, kind: .realTimeKinematicFloat)
    case 6: FixStatus(validity: .undetermined, kind: .deadReckoning)
    case _: FixStatus(validity: .invalid, kind: nil)
    }
  }
}
