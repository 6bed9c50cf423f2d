/// One decoded item of the receiver's output, in the order of the stream.
public enum Reception: Sendable {
  /// A complete epoch, with or without a fix.
  case epoch(Fix)
  /// The satellites in view of one epoch; only if requested.
  case satelliteReport(SatelliteReport)
  /// A reply to a command, or a status message of the receiver.
  case answer(ReceiverAnswer)
}

extension Reception {
  /// The fix of the epoch, if the item is an epoch.
  public var fix: Fix? {
    switch self {
    case .epoch(let fix): fix
    case .satelliteReport, .answer: nil
    }
  }
}
