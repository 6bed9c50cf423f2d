/// A command to a receiver, and the reply that confirms it.
public struct ReceiverCommand: Equatable, Sendable {
  /// The reply of a receiver to a command.
  public enum Reply: Equatable, Sendable {
    /// None; the next command is sent after a pause.
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
    /// The version, in the family's own message.
    case version
    /// UPD-SOS with this command (byte 0).
    case savedState(command: UInt8)
    /// MGA-ACK for this message id.
    case aiding(id: UInt8)
  }

  /// Name in the protocol ("CFG-RATE", "PMTK220").
  public let name: String
  public let bytes: [UInt8]
  public let reply: Reply

  public init(name: String, bytes: [UInt8], reply: Reply) {
    self.name = name
    self.bytes = bytes
    self.reply = reply
  }

  /// True if a reply confirms the command.
  var awaitsReply: Bool {
    if case .none = reply { false } else { true }
  }
}
