/// The messages that are told apart and counted.
public enum MessageKind: UInt8, Sendable, CaseIterable {
  case rmc, gga, gns, gsa, gst, vtg, gll, zda, gsv
  /// UBX NAV-PVT.
  case navigationSolution
  /// A sentence of a known form that is not read.
  case otherSentence
  /// A sentence of a manufacturer (address begins with `P`).
  case vendorSentence
  /// A valid UBX frame that is not read.
  case otherUBX
  /// A valid CASIC frame that is not read.
  case otherCASIC
  /// A frame of SiRF binary.
  case sirfBinary

  public var wireProtocol: WireProtocol {
    switch self {
    case .rmc, .gga, .gns, .gsa, .gst, .vtg, .gll, .zda, .gsv, .otherSentence, .vendorSentence: .nmea
    case .navigationSolution, .otherUBX: .ubx
    case .otherCASIC: .casic
    case .sirfBinary: .sirf
    }
  }

  public var word: StaticString {
    switch self {
    case .rmc: "RMC"
    case .gga: "GGA"
    case .gns: "GNS"
    case .gsa: "GSA"
    case .gst: "GST"
    case .vtg: "VTG"
    case .gll: "GLL"
    case .zda: "ZDA"
    case .gsv: "GSV"
    case .navigationSolution: "NAV-PVT"
    case .otherSentence: "other sentence"
    case .vendorSentence: "vendor sentence"
    case .otherUBX: "other UBX"
    case .otherCASIC: "other CASIC"
    case .sirfBinary: "SiRF binary"
    }
  }
}

/// The ways in which receivers put their messages on the line.
public enum WireProtocol: Sendable, CaseIterable {
  case nmea, ubx, casic, sirf
}
