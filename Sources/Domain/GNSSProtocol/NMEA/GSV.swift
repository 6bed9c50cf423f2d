/// Satellites in view: up to four of a group. A group has one talker and one signal.
///
/// It refers to the bytes of its sentence and must not outlive it. `$PQGSV` of Qualcomm modems has the same
/// form; its satellites are those of BeiDou and QZSS.
struct GSV {
  let system: SatelliteSystem?
  /// Number of sentences in the group, and the number of this one, from 1.
  let total: Int
  let number: Int
  /// Number of satellites in view for this talker and signal.
  let inView: Int
  /// Talker and signal in one value, to detect that a group begins again.
  let group: UInt8
  /// Number of satellite blocks still to read.
  private(set) var remaining: Int
  private var fields: SentenceFields

  /// Parses a sentence after its address. Fails without the three numbers of the header.
  init?(_ sentence: SentenceFields, talker: Talker) {
    var fields = sentence
    guard let total = fields.next().whole, let number = fields.next().whole, number >= 1,
      let inView = fields.next().whole
    else { return nil }
    self.total = total
    self.number = number
    self.inView = inView
    self.fields = fields
    system = SatelliteSystem(talker)
    // After the blocks comes the signal id in NMEA 4.1, and a system id in PQGSV.
    let behindHead = fields.remaining
    remaining = min(behindHead / 4, Self.mostBlocks)
    var signal: UInt8 = 0
    if behindHead % 4 > 0 {
      fields.skip(remaining * 4)
      signal = fields.next().hexadecimalDigit ?? 0
    }
    group = talker.rawValue << 4 | signal
  }

  /// The next satellite; nil at the end. Blocks without a number, which are padding, are skipped.
  mutating func next() -> Satellite? {
    while remaining > 0 {
      remaining -= 1
      let number = fields.next().whole
      let elevation = fields.next().whole
      let azimuth = fields.next().whole
      let signal = fields.next().whole
      guard let number, let id = SatelliteID(printed: number, system: system) else { continue }
      return Satellite(
        id: id, elevation: elevation.flatMap { $0 <= 90 ? Int8($0) : nil },
        azimuth: Satellite.azimuth(azimuth),
        signal: signal.flatMap { $0 > 0 && $0 < 100 ? UInt8($0) : nil })
    }
    return nil
  }

  /// Maximum number of blocks. Manufacturers' forms have more than four.
  private static let mostBlocks = 16
}

extension SentenceField {
  /// An id of one hexadecimal digit.
  var hexadecimalDigit: UInt8? {
    switch letter {
    case .some(let digit) where (0x30...0x39).contains(digit): digit - 0x30
    case .some(let digit) where (0x41...0x46).contains(digit): digit - 0x37
    case .some(let digit) where (0x61...0x66).contains(digit): digit - 0x57
    case _: nil
    }
  }
}
