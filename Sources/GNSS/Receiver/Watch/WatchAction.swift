import Quantities

/// What a ``ReceiverWatch`` is told.
public enum WatchInput: Equatable, Sendable {
  /// The port was opened, again or at another speed.
  case opened
  /// Bytes were read, and so many frames with a right checksum were among them.
  case heard(bytes: Int, frames: Int)
  /// An epoch was closed, with or without a fix.
  case epoch(Fix)
  case answer(ReceiverAnswer)
  /// It keeps its epochs for itself: until then its silence is agreed; nil: no more.
  case quiet(until: Moment?)
  /// It was put to sleep by plan: from here on nothing is watched.
  case asleep
  /// It was woken by plan, or a sleep by plan came to nothing.
  case awake
}

/// What a ``ReceiverWatch`` wants.
public enum WatchAction: Equatable, Sendable {
  case event(WatchEvent)
  case remedy(Remedy, against: Trouble)
  /// All that could be tried was tried; nothing more is done before `until`. Worth a word to people.
  case rest(Trouble, tried: [Remedy], until: Moment)
}

/// A trouble began or ended; each beginning is said once, and has its end.
public enum WatchEvent: Equatable, Sendable {
  case began(Trouble, WatchEvidence)
  case ended(Trouble, lasted: Duration)
}

/// What can be tried, mildest first.
public enum Remedy: Int, Sendable, CaseIterable {
  /// Close the port and open it again.
  case reopen
  /// Find speed and protocol again; only by listening where nothing may be written.
  case findAgain
  /// ``StartKind/warm``.
  case warmStart
  /// Cut its supply for a few seconds.
  case powerCycle
}
