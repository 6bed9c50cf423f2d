/// What a receiver said, in the order of the stream.
public enum Reception: Sendable {
  /// An epoch is closed; those without a fix are told as well.
  case epoch(Fix)
  /// The satellites in view in one epoch; only where they were asked for.
  case sky(Sky)
  /// A reply to a command, or a word on how the receiver fares.
  case answer(ReceiverAnswer)
}

extension Reception {
  /// The epoch, if it is one.
  public var fix: Fix? {
    switch self {
    case .epoch(let fix): fix
    case .sky, .answer: nil
    }
  }
}
