/// The simulated module types.
public enum ModuleModel: String, Sendable, CaseIterable {
  /// u-blox by generation: NEO-6M, NEO-7M, MAX-M8Q, NEO-M9N, MAX-M10S.
  case ublox6, ublox7, ublox8, ublox9, ublox10
  /// MT3339 with PMTK sentences (L80, PA6H).
  case mediaTek
  /// AG3335 with PAIR sentences (LC76G).
  case airoha
  /// Quectel with PQTM sentences (LC29H, LG290P).
  case quectel
  /// AT6558 with PCAS sentences (ATGM336H, L76K).
  case casic
  /// SiRFstar IV with PSRF sentences, off until its ON_OFF pin is pulsed.
  case sirf
  /// Sends NMEA at 9600 bit/s and accepts no commands.
  case plain

  /// Baud rate at factory settings, in bit/s.
  public var factorySpeed: UInt32 {
    switch self {
    case .ublox6, .ublox7, .ublox8, .ublox10, .mediaTek, .casic, .plain: 9600
    case .ublox9: 38400
    case .airoha, .quectel: 115_200
    case .sirf: 4800
    }
  }

  func firmware(_ options: ModuleOptions) -> any ModuleFirmware {
    switch self {
    case .ublox6: UbloxFirmware(.six, options)
    case .ublox7: UbloxFirmware(.seven, options)
    case .ublox8: UbloxFirmware(.eight, options)
    case .ublox9: UbloxFirmware(.nine, options)
    case .ublox10: UbloxFirmware(.ten, options)
    case .mediaTek: MediaTekFirmware(options)
    case .airoha: AirohaFirmware(options)
    case .quectel: QuectelFirmware(options)
    case .casic: CASICFirmware(options)
    case .sirf: SiRFFirmware(options)
    case .plain: PlainFirmware(options)
    }
  }
}
