import GNSSProtocol
import Quantities

/// An input of a ``ReceiverWatch``.
public enum WatchInput: Equatable, Sendable {
  /// The port was opened, again or at another baud rate.
  case opened
  /// Bytes were read; `frames` is the number of frames with a valid checksum among them.
  case received(bytes: Int, frames: Int)
  /// An epoch is complete, with or without a fix.
  case epoch(Fix)
  case answer(ReceiverAnswer)
  /// The receiver stores its epochs: silence is expected until then; nil ends that.
  case quiet(until: Moment?)
  /// The receiver was put to sleep on request; monitoring pauses.
  case asleep
  /// The receiver was woken on request, or a requested sleep failed.
  case awake
}

/// An action that a ``ReceiverWatch`` requests.
public enum WatchAction: Equatable, Sendable {
  case event(WatchEvent)
  case remedy(RecoveryStep, against: ReceiverFault)
  /// All recovery steps were tried; nothing more is done before `until`. Worth a message to people.
  case backOff(ReceiverFault, tried: [RecoveryStep], until: Moment)
}

/// The beginning or end of a fault. Each beginning is reported once and has an end.
public enum WatchEvent: Equatable, Sendable {
  case began(ReceiverFault, WatchEvidence)
  case ended(ReceiverFault, lasted: Duration)
}

/// A recovery step, mildest first.
public enum RecoveryStep: Int, Sendable, CaseIterable {
  /// Close the port and open it again.
  case reopen
  /// Find baud rate and protocol again; only by listening if writing is not permitted.
  case findAgain
  /// Restart the receiver with ``StartKind/warm``.
  case warmStart
  /// Cut the supply for a few seconds.
  case powerCycle
}
