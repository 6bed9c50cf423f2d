/// The talker of a sentence: the first two letters of its address.
public enum Talker: UInt8, Sendable, CaseIterable {
  /// GN, the combined solution of several systems.
  case combined
  /// IN, satellites combined with inertial sensors.
  case integrated
  /// GP
  case gps
  /// GL
  case glonass
  /// GA
  case galileo
  /// GB, BD
  case beidou
  /// GQ, QZ
  case qzss
  /// GI
  case navic
  /// A source without a name in the standard, or one that does not say what it is (II, YD…): a gateway or an integrated
  /// instrument.
  case unlisted
  /// Other equipment, such as AIS, sounders, weather stations, compasses and radar. Its position and time may be out of
  /// date.
  case other

  /// The talker with these two letters as one number, the first one lowest.
  @inline(__always)
  init(_ letters: UInt16) {
    switch letters {
    case 0x4E47: self = .combined
    case 0x4E49: self = .integrated
    case 0x5047: self = .gps
    case 0x4C47: self = .glonass
    case 0x4147: self = .galileo
    case 0x4247, 0x4442: self = .beidou
    case 0x5147, 0x5A51: self = .qzss
    case 0x4947: self = .navic
    // AI, AB, BS, SD, WI, VW, HC, HE, TI, RA
    case 0x4941, 0x4241, 0x5342, 0x4453, 0x4957, 0x5756, 0x4348, 0x4548, 0x4954, 0x4152: self = .other
    case _: self = Self.areLetters(letters) ? .unlisted : .other
    }
  }

  /// True if both bytes are capital letters.
  static func areLetters(_ letters: UInt16) -> Bool {
    (0x41...0x5A).contains(letters & 0xFF) && (0x41...0x5A).contains(letters >> 8)
  }

  /// Precedence if several talkers send the same epoch; 0 is ignored.
  var rank: UInt8 {
    switch self {
    case .combined, .integrated: 3
    case .gps: 2
    case .glonass, .galileo, .beidou, .qzss, .navic, .unlisted: 1
    case .other: 0
    }
  }

  public var word: StaticString {
    switch self {
    case .combined: "GN"
    case .integrated: "IN"
    case .gps: "GP"
    case .glonass: "GL"
    case .galileo: "GA"
    case .beidou: "GB"
    case .qzss: "GQ"
    case .navic: "GI"
    case .unlisted: "unlisted"
    case .other: "other"
    }
  }
}
