/// The kinds of messages that are distinguished and counted.
public enum MessageKind: UInt8, Sendable, CaseIterable {
  case rmc, gga, gns, gsa, gst, gbs, vtg, gll, zda, gsv
  /// `$PUBX,00`, `$PQTMEPE`, `$PSTI,030`, `$PQGSV`, `$PQGSA`.
  case pubx00, pqtmepe, psti030, pqgsv, pqgsa
  /// UBX NAV-PVT.
  case navigationSolution
  case navPOSLLH, navSTATUS, navDOP, navSOL, navVELNED, navTIMEUTC, navSVINFO, navSAT, navEOE
  case casicPV, casicTIMEUTC
  /// A standard sentence that is not decoded.
  case otherSentence
  /// A sentence of a manufacturer (its address begins with `P`) that is not decoded.
  case vendorSentence
  /// A valid UBX frame that is not decoded.
  case otherUBX
  /// A valid CASIC frame that is not decoded.
  case otherCASIC
  /// A SiRF binary frame.
  case sirfBinary

  public var wireProtocol: WireProtocol {
    switch self {
    case .rmc, .gga, .gns, .gsa, .gst, .gbs, .vtg, .gll, .zda, .gsv, .otherSentence, .vendorSentence: .nmea
    case .pubx00, .pqtmepe, .psti030, .pqgsv, .pqgsa: .nmea
    case .navigationSolution, .navPOSLLH, .navSTATUS, .navDOP, .navSOL, .navVELNED, .navTIMEUTC, .navSVINFO,
      .navSAT,
      .navEOE, .otherUBX:
      .ubx
    case .casicPV, .casicTIMEUTC, .otherCASIC: .casic
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
    case .gbs: "GBS"
    case .vtg: "VTG"
    case .gll: "GLL"
    case .zda: "ZDA"
    case .gsv: "GSV"
    case .pubx00: "PUBX,00"
    case .pqtmepe: "PQTMEPE"
    case .psti030: "PSTI,030"
    case .pqgsv: "PQGSV"
    case .pqgsa: "PQGSA"
    case .navigationSolution: "NAV-PVT"
    case .navPOSLLH: "NAV-POSLLH"
    case .navSTATUS: "NAV-STATUS"
    case .navDOP: "NAV-DOP"
    case .navSOL: "NAV-SOL"
    case .navVELNED: "NAV-VELNED"
    case .navTIMEUTC: "NAV-TIMEUTC"
    case .navSVINFO: "NAV-SVINFO"
    case .navSAT: "NAV-SAT"
    case .navEOE: "NAV-EOE"
    case .casicPV: "CASIC NAV-PV"
    case .casicTIMEUTC: "CASIC NAV-TIMEUTC"
    case .otherSentence: "other sentence"
    case .vendorSentence: "vendor sentence"
    case .otherUBX: "other UBX"
    case .otherCASIC: "other CASIC"
    case .sirfBinary: "SiRF binary"
    }
  }
}

/// The protocols of the serial line.
public enum WireProtocol: Sendable, CaseIterable {
  case nmea, ubx, casic, sirf
}
