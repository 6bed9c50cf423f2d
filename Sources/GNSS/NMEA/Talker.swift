/// Who speaks a sentence: the first two letters of its address.
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
  /// An instrument that is no receiver (II, SD, WI, HC…). What it says about position and time may be old.
  case other

  init(_ first: UInt8, _ second: UInt8) {
    switch (first, second) {
    case (UInt8(ascii: "G"), UInt8(ascii: "N")): self = .combined
    case (UInt8(ascii: "I"), UInt8(ascii: "N")): self = .integrated
    case (UInt8(ascii: "G"), UInt8(ascii: "P")): self = .gps
    case (UInt8(ascii: "G"), UInt8(ascii: "L")): self = .glonass
    case (UInt8(ascii: "G"), UInt8(ascii: "A")): self = .galileo
    case (UInt8(ascii: "G"), UInt8(ascii: "B")), (UInt8(ascii: "B"), UInt8(ascii: "D")): self = .beidou
    case (UInt8(ascii: "G"), UInt8(ascii: "Q")), (UInt8(ascii: "Q"), UInt8(ascii: "Z")): self = .qzss
    case (UInt8(ascii: "G"), UInt8(ascii: "I")): self = .navic
    case _: self = .other
    }
  }

  /// Which talker is believed when several speak for one instant; 0 is not believed at all.
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
