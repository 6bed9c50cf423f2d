/// Bytes for a receiver, and what shows that it took them.
public struct ReceiverCommand: Equatable, Sendable {
  /// What a receiver says to a command.
  public enum Reply: Equatable, Sendable {
    /// Nothing; the next command goes out after a pause.
    case none(pause: Duration)
    /// UBX ACK-ACK or ACK-NAK with this class and id.
    case acknowledge(class: UInt8, id: UInt8)
    /// `$PMTK001` with this number.
    case pmtk(Int)
    /// `$PAIR001` with this number.
    case pair(Int)
    /// `$PQTM…,OK` or `,ERROR` with this name ("PQTMCFGUART").
    case pqtm(String)
    /// CASIC ACK or NAK with this class and id.
    case casic(class: UInt8, id: UInt8)
    /// Its version, in whatever message its language has for that.
    case version
    /// UPD-SOS with this command (byte 0).
    case savedState(command: UInt8)
    /// MGA-ACK for this message id.
    case aiding(id: UInt8)
  }

  /// As the protocol names it ("CFG-RATE", "PMTK220").
  public let name: String
  public let bytes: [UInt8]
  public let reply: Reply

  public init(name: String, bytes: [UInt8], reply: Reply) {
    self.name = name
    self.bytes = bytes
    self.reply = reply
  }
}
