/// What a receiver says beside its epochs: replies to commands, who it is, how it fares.
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
  /// It has just started: `$PMTK010`, `$PMTK011`, `$PAIR010`, a banner.
  case started
  /// UPD-SOS: `command` 2 answers a save (`response` 1 done), 3 tells at a start (2 restored, 3 nothing there).
  case savedState(command: UInt8, response: UInt8)
  /// MGA-ACK-DATA0 for the aiding message `id`.
  case aiding(id: UInt8, accepted: Bool)
  /// NAV-STATUS: milliseconds to the first fix (0 before it) and since the start.
  case sinceStart(timeToFirstFix: UInt32, uptime: UInt32)
  /// The antenna's supervisor, by MON-HW, MON-RF, TXT or `$PCAS`.
  case antenna(AntennaState)
  /// MON-HW, MON-RF: how much the receiver believes to be jammed.
  case jamming(JammingState)
  /// NAV-STATUS: whether the receiver believes that its signals are forged; told from u-blox 8 on.
  case spoofing(SpoofingState)
  /// MON-BATCH: `stored` epochs are kept, `dropped` were lost since the last of these messages because there was no more
  /// room.
  case batch(stored: Int, dropped: Int)
  /// LOG-BATCH: one of the epochs that were kept.
  case storedEpoch
  /// TXT, type 00 or 01: an error or a warning in the receiver's words; at most 79 characters.
  case complaint(String)
  /// Bytes of a protocol that is not read.
  case foreign(ForeignProtocol)
}

public enum AntennaState: String, Sendable {
  case unknown, ok, short, open
}

public enum JammingState: String, Sendable {
  case unknown, ok, warning, critical
}

public enum SpoofingState: String, Sendable {
  /// Not watched, or not told.
  case unknown
  case ok
  case indicated
  /// By several signs at once.
  case multiple = "indicated by several signs"
}

public enum ForeignProtocol: String, Sendable {
  case sirfBinary = "SiRF binary"
}
