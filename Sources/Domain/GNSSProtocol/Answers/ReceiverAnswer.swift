/// A message of the receiver besides its epochs: a reply to a command, its identity or its status.
public enum ReceiverAnswer: Equatable, Sendable {
  /// UBX ACK-ACK (accepted) or ACK-NAK.
  case acknowledge(class: UInt8, id: UInt8, accepted: Bool)
  /// `$PMTK001,command,flag`: 0 invalid, 1 unsupported, 2 failed, 3 done.
  case pmtk(command: Int, flag: Int)
  /// `$PAIR001,command,result`: 0 done, 1 in progress, 2 failed, 3 unsupported, 4 wrong parameter, 5 busy.
  case pair(command: Int, result: Int)
  /// `$PQTM…,OK` or `,ERROR,n`; `name` is the address ("PQTMCFGUART").
  case pqtm(name: String, accepted: Bool)
  /// CASIC ACK (accepted) or NAK.
  case casic(class: UInt8, id: UInt8, accepted: Bool)
  /// MON-VER, `$PMTK705`, `$PAIR021`, `$PQTMVERNO`, the texts of `$PCAS06`, `$PSRF` versions.
  case version(ReceiverIdentity)
  /// The receiver has just started: `$PMTK010`, `$PMTK011`, `$PAIR010`, a banner.
  case started
  /// UPD-SOS: `command` 2 answers a save (`response` 1 done), 3 reports at a start (2 restored, 3 no saved
  /// state).
  case savedState(command: UInt8, response: UInt8)
  /// MGA-ACK-DATA0 for the aiding message `id`.
  case aiding(id: UInt8, accepted: Bool)
  /// NAV-STATUS: milliseconds to the first fix (0 before it) and since the start.
  case sinceStart(timeToFirstFix: UInt32, uptime: UInt32)
  /// Antenna status, from MON-HW, MON-RF, TXT or `$PCAS`.
  case antenna(AntennaState)
  /// Jamming indicator, from MON-HW or MON-RF.
  case jamming(JammingState)
  /// Spoofing indicator, from NAV-STATUS; available from u-blox 8 on.
  case spoofing(SpoofingState)
  /// MON-BATCH: `stored` epochs are in memory, `dropped` were lost since the last MON-BATCH because the
  /// memory was full.
  case batch(stored: Int, dropped: Int)
  /// LOG-BATCH: one of the stored epochs.
  case storedEpoch
  /// TXT, type 00 or 01: an error or warning as sent by the receiver; at most 79 characters.
  case errorText(String)
  /// Data of an unsupported protocol.
  case foreign(ForeignProtocol)
}

/// Antenna status as the receiver's supervisor reports it.
public enum AntennaState: String, Sendable {
  case unknown, ok, short, open
}

/// Jamming indicator of the receiver.
public enum JammingState: String, Sendable {
  case unknown, ok, warning, critical
}

/// Spoofing indicator of the receiver.
public enum SpoofingState: String, Sendable {
  /// Not monitored, or not reported.
  case unknown
  case ok
  case indicated
  /// Several indications at the same time.
  case multiple = "indicated by several signs"
}

/// A protocol that is recognised but not supported.
public enum ForeignProtocol: String, Sendable {
  case sirfBinary = "SiRF binary"
}
