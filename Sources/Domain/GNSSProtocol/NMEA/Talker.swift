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
  /// An instrument that is not a receiver (II, SD, WI, HC…). Its position and time may be out of date.
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
    case _: self = .other
    }
  }

  /// Precedence if several talkers send the same epoch; 0 is ignored.
  var rank: UInt8 {
    switch self {
    case .combined, .integrated: 3
    case .gps: 2
    case .glonass, .galileo, .beidou, .qzss, .navic: 1
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
    case .other: "other"
    }
  }
}
