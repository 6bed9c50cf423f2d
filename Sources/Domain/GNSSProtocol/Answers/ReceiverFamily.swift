/// A group of receivers that accept the same commands: they are configured, put to sleep and woken alike.
public enum ReceiverFamily: String, Sendable, CaseIterable {
  /// u-blox generations 5 to 8: UBX-CFG messages, one for each subject.
  case ubloxMessages = "ublox-cfg"
  /// u-blox generations 9, 10 and later: UBX-CFG-VALSET with keys.
  case ubloxKeys = "ublox-valset"
  /// MediaTek MT33xx: `$PMTK`.
  case mediaTek = "mediatek"
  /// Airoha AG33xx: `$PAIR`.
  case airoha
  /// Quectel modules with `$PQTM` and neither PMTK nor PAIR.
  case quectel
  /// AT6558 and AT6668: `$PCAS`.
  case casic
  /// SiRFstar: `$PSRF`. Only read, put to sleep and switched from binary to NMEA.
  case sirf
  /// Any other receiver that sends NMEA: only read.
  case unknown
}
