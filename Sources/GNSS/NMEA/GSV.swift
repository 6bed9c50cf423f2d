/// Satellites in view: up to four of a group. A group is of one talker and one signal.
///
/// It is read where it lies, so it must not outlive its sentence. `$PQGSV` of Qualcomm modems has the same
/// form; its satellites are those of BeiDou and QZSS.
struct GSV {
  let system: SatelliteSystem?
  /// Sentences of the group, and which of them this one is, from 1.
  let total: Int
  let number: Int
  /// Satellites in view by this talker and signal.
  let inView: Int
  /// Talker and signal in one value, so that a group which begins again can be told.
  let group: UInt8
  /// Blocks of a satellite that are still to be read.
  private(set) var remaining: Int
  private var fields: SentenceFields

  /// `sentence` stands behind the address. Fails without the three numbers of the head.
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
    // Behind the blocks stands the signal id in NMEA 4.1, and with PQGSV a system id.
    let behindHead = fields.remaining
    remaining = min(behindHead / 4, Self.mostBlocks)
    var signal: UInt8 = 0
    if behindHead % 4 > 0 {
      fields.skip(remaining * 4)
      signal = fields.next().hexadecimalDigit ?? 0
    }
    group = talker.rawValue << 4 | signal
  }

  /// The next satellite; nil at the end. Blocks without a number, as padding has them, are passed over.
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

  /// Talkers with their own form send more than four.
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
