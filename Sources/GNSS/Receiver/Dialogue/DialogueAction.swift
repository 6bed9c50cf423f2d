/// What a ``ReceiverDialogue`` wants done, in this order.
public enum DialogueAction: Equatable, Sendable {
  case write([UInt8])
  /// Answer with ``DialogueEvent/drained`` once everything written has left the UART (`tcdrain`).
  case awaitDrain
  /// Set the host's side to this speed in bit/s and forget what was received at the one before.
  case setSpeed(UInt32)
  /// Close the port and open it again; answer with `opened` or `lost`.
  case reopen
  /// Set the GPIO line that switches the receiver: true is on.
  case enableLine(Bool)
  case report(DialogueNotice)
  /// Keep this for the next start.
  case remember(KnownReceiver)
}
