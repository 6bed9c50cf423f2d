/// An action that a ``ReceiverDialogue`` requests. The owner of the port carries out the actions in their
/// order.
public enum DialogueAction: Equatable, Sendable {
  case write([UInt8])
  /// Wait until everything written has left the UART (`tcdrain`), then send ``DialogueEvent/drained``.
  case awaitDrain
  /// Set the host's baud rate in bit/s and discard the bytes received at the previous one.
  case setSpeed(UInt32)
  /// Close the port and open it again, then send `opened` or `lost`.
  case reopen
  /// Set the GPIO line that switches the receiver: true is on.
  case enableLine(Bool)
  case report(DialogueNotice)
  /// Save this for the next start.
  case remember(KnownReceiver)

  /// True if the action writes a byte to the receiver or switches it.
  var affectsReceiver: Bool {
    switch self {
    case .write, .awaitDrain, .enableLine: true
    case .setSpeed, .reopen, .report, .remember: false
    }
  }
}
