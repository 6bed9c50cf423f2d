import GNSSProtocol

/// The UBX-CFG messages of generations 5 to 8.
enum CFG {
  /// A message with a rate in CFG-MSG.
  enum Message: UInt16 {
    case posllh = 0x0102
    case dop = 0x0104
    case sol = 0x0106
    case pvt = 0x0107
    case velned = 0x0112
    case timeutc = 0x0121
    case svinfo = 0x0130
    case sat = 0x0135
    case gga = 0xF000
    case gll = 0xF001
    case gsa = 0xF002
    case gsv = 0xF003
    case rmc = 0xF004
    case vtg = 0xF005

    var name: String {
      switch self {
      case .posllh: "NAV-POSLLH"
      case .dop: "NAV-DOP"
      case .sol: "NAV-SOL"
      case .pvt: "NAV-PVT"
      case .velned: "NAV-VELNED"
      case .timeutc: "NAV-TIMEUTC"
      case .svinfo: "NAV-SVINFO"
      case .sat: "NAV-SAT"
      case .gga: "GGA"
      case .gll: "GLL"
      case .gsa: "GSA"
      case .gsv: "GSV"
      case .rmc: "RMC"
      case .vtg: "VTG"
      }
    }
  }

  /// The protocols of a port, as bits of CFG-PRT.
  struct Protocols: OptionSet {
    let rawValue: UInt16
    static let ubx = Protocols(rawValue: 1)
    static let nmea = Protocols(rawValue: 2)
  }

  /// CFG-PRT (06 00) for UART1 with 8N1; UBX and NMEA are accepted as input. The acknowledgement may come at
  /// either baud rate.
  static func port(baud: UInt32, output: Protocols) -> ReceiverCommand {
    let bytes = UBXFrame.bytes(class: 0x06, id: 0x00) {
      $0.u1(1)
      $0.zeros(3)
      $0.u4(0x08C0)
      $0.u4(baud)
      $0.u2(([.ubx, .nmea] as Protocols).rawValue)
      $0.u2(output.rawValue)
      $0.zeros(4)
    }
    return ReceiverCommand(name: "CFG-PRT", bytes: bytes, reply: .none(pause: UBX.pause))
  }

  /// CFG-RATE (06 08): a solution for every measurement, aligned to GPS time.
  static func rate(_ milliseconds: UInt16) -> ReceiverCommand {
    .acknowledged("CFG-RATE", class: 0x06, id: 0x08) {
      $0.u2(milliseconds)
      $0.u2(1)
      $0.u2(1)
    }
  }

  /// CFG-MSG (06 01) for the port on which it is received; 0 switches the message off.
  static func message(_ message: Message, every epochs: UInt8) -> ReceiverCommand {
    .acknowledged("CFG-MSG \(message.name)", class: 0x06, id: 0x01) {
      $0.u1(UInt8(truncatingIfNeeded: message.rawValue >> 8))
      $0.u1(UInt8(truncatingIfNeeded: message.rawValue))
      $0.u1(epochs)
    }
  }

  /// CFG-NAV5 (06 24): only the dynamic model.
  static func navigation(_ model: UInt8) -> ReceiverCommand {
    .acknowledged("CFG-NAV5", class: 0x06, id: 0x24) {
      $0.u2(0x0001)
      $0.u1(model)
      $0.u1(3)
      $0.zeros(32)
    }
  }

  /// CFG-NAVX5 (06 23) version 2: MGA messages are answered by MGA-ACK; nothing else changes.
  static var acknowledgeAiding: ReceiverCommand {
    let ackAid: UInt16 = 1 << 10
    return .acknowledged("CFG-NAVX5", class: 0x06, id: 0x23) {
      $0.u2(2)
      $0.u2(ackAid)
      $0.zeros(13)
      $0.u1(1)
      $0.zeros(22)
    }
  }

  /// CFG-RXM (06 11): continuous mode, or power save mode as configured by CFG-PM2.
  static func receiver(saving: Bool) -> ReceiverCommand {
    .acknowledged("CFG-RXM", class: 0x06, id: 0x11) {
      $0.u1(0x08)
      $0.u1(saving ? 1 : 0)
    }
  }

  /// CFG-PM2 (06 3B) version 1: cyclic tracking, 1 to 10 s. The receiver never switches itself off without a
  /// fix.
  static func cyclicTracking(seconds: Int) -> ReceiverCommand {
    let period = UInt32(min(max(seconds, 1), 10)) * 1000
    let updateRTC: UInt32 = 1 << 11
    let updateEPH: UInt32 = 1 << 12
    let doNotEnterOff: UInt32 = 1 << 16
    let cyclic: UInt32 = 1 << 17
    return .acknowledged("CFG-PM2", class: 0x06, id: 0x3B) {
      $0.u1(1)
      $0.zeros(3)
      $0.u4(updateRTC | updateEPH | doNotEnterOff | cyclic)
      $0.u4(period)
      $0.u4(10_000)
      $0.zeros(28)
    }
  }

  /// CFG-BATCH (06 93): stores this many epochs with extra PVT; 0 stores none. No pin signals the fill level.
  static func batch(entries: UInt16) -> ReceiverCommand {
    let enable: UInt8 = 1 << 0
    let extraPVT: UInt8 = 1 << 2
    return .acknowledged("CFG-BATCH", class: 0x06, id: 0x93) {
      $0.u1(0)
      $0.u1(entries > 0 ? enable | extraPVT : 0)
      $0.u2(entries)
      $0.zeros(4)
    }
  }

  /// The power setup of CFG-PMS.
  enum PowerSetUp: Equatable {
    case full
    case aggressive1Hz
    /// On for `onTime` seconds in every `period`, in seconds.
    case interval(period: UInt16, onTime: UInt16)
  }

  /// CFG-PMS (06 86), from protocol 18 on.
  static func powerSetUp(_ setUp: PowerSetUp) -> ReceiverCommand {
    let (code, period, onTime): (UInt8, UInt16, UInt16) =
      switch setUp {
      case .full: (0, 0, 0)
      case .aggressive1Hz: (3, 0, 0)
      case .interval(let period, let onTime): (2, period, onTime)
      }
    return .acknowledged("CFG-PMS", class: 0x06, id: 0x86) {
      $0.u1(0)
      $0.u1(code)
      $0.u2(period)
      $0.u2(onTime)
      $0.zeros(2)
    }
  }
}
