import GNSS
import Quantities
import Records

/// What the tracker is told.
public enum TrackerEvent: Equatable, Sendable {
  /// The program started; `lastLocation` is the newest record of the log, nil for an empty one.
  case started(lastLocation: LogRecord?)
  /// An epoch of the receiver, with or without a position. `systemClock` is what the operating system takes for
  /// UTC; it bounds the repair of the week and is never believed otherwise.
  case epoch(Fix, systemClock: Timestamp)
  /// An epoch of a receiver that has just started and may repeat what it knew before: counted, and nothing more.
  case withheld(Fix)
  /// The wireless network that the box has joined; nil where none is or nobody can tell.
  case network(JoinedNetwork?)
  /// The next position is kept whatever the mode and however near the last one: somebody waits for a sign of life.
  case checkIn
  /// Something that belongs in the log and that the tracker only dates.
  case occurred(EventRecord)
  /// How the battery stands, as a gauge has it.
  case battery(Battery)
  /// The operator's wishes are others now; `changed` names the settings.
  case settings(TrackerSettings, changed: [String])
  /// The program is about to leave.
  case stopping
}

/// What the tracker wants done.
public enum TrackerAction: Equatable, Sendable {
  /// Keep a record; `atOnce` ones are made durable without waiting for others.
  case keep(LogRecord, Urgency)
  /// The date became known: UTC in milliseconds minus the moment in milliseconds, for all undated records of this boot.
  case date(offsetMilliseconds: Int64)

  public enum Urgency: Equatable, Sendable {
    case routine, atOnce
  }
}
