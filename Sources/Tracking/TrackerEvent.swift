import Energy
import GNSS
import Quantities
import Records

/// What the tracker is told.
public enum TrackerEvent: Equatable, Sendable {
  /// The program started; `lastLocation` is the newest record of the log, nil for an empty one, and `after` says how the run
  /// before ended, for people.
  case started(lastLocation: LogRecord?, after: EventFields = [:])
  /// An epoch of the receiver, with or without a position. `systemClock` is what the operating system takes for
  /// UTC; it bounds the repair of the week and is never believed otherwise.
  case epoch(Fix, systemClock: Timestamp)
  /// An epoch of a receiver that has just started and may repeat what it knew before: counted, and nothing more.
  case withheld(Fix)
  /// The strongest satellite heard while there is no fix, in dB-Hz.
  case heard(strongest: Double)
  /// The receiver has said what it is.
  case receiverIdentified(ReceiverFamily)
  /// The receiver can be told to track in cyclic mode, or not any more.
  case cyclicMode(isOffered: Bool)
  /// The wireless network that the box has joined; nil where none is or nobody can tell.
  case network(JoinedNetwork?)
  /// The box has switched its own radio off, and with it the network: that says nothing of where it is.
  case radioSwitchedOff
  /// What the system's clock or a clock chip shows, after ``TrackerAction/readSystemClock``; nil if nothing keeps them
  /// right.
  case systemTime(Timestamp?, quality: ClockQuality)
  /// The addresses of the access points that were heard, after ``TrackerAction/hearAccessPoints``.
  case accessPoints(Set<String>)
  /// The next position is kept whatever the mode and however near the last one: a server waits for a sign of life, be the
  /// battery as low as it may.
  case checkIn
  /// Something that belongs in the log and that the tracker only dates.
  case occurred(EventRecord)
  /// How the battery stands, as a gauge has it.
  case battery(Battery)
  /// What ``TrackerAction/save(_:)`` kept last, at the start.
  case restored(String)
  /// What the body or the vehicle does, by the accelerometer; empty while undecided or without one.
  case motion(MotionStates)
  /// A sensor began or ceased to say that the box moves.
  case evidence(MotionSource, isActive: Bool)
  /// A sensor that can say nothing any more.
  case evidenceLost(MotionSource)
  /// The ignition line; nil when it cannot be read any more.
  case ignition(Bool?)
  /// How the supply stands, when that has changed; nil when no gauge tells it any more.
  case supply(SupplyReading?)
  /// Steps since the counter began.
  case steps(Int32)
  /// A reading of the battery or the supply, changed or not: the level follows several of them.
  case power(PowerReading)
  /// What the battery has left and what was drawn of it, told every few hours.
  case powerUse(PowerUse)
  /// Somebody asks for a position: the same, unless the battery is so low that the receiver is to rest for good.
  case positionWanted
  case trip(TripCommand)
  /// The operator's wishes are others now; `changed` tells which, in the words of the log.
  indirect case settings(TrackerSettings, changed: [String])
  /// The program is about to leave.
  case stopping
}

/// What the tracker wants done.
public enum TrackerAction: Equatable, Sendable {
  /// Keep a record; `atOnce` ones are made durable without waiting for others.
  case keep(LogRecord, Urgency)
  /// The date became known, or is another one: UTC in milliseconds minus the moment in milliseconds, for all records of
  /// this boot that have no date, and those to come.
  case date(offsetMilliseconds: Int64)
  /// The receiver is to do this; `until` is when it is wanted again at the latest, nil where only an event ends it.
  case receiver(ReceiverState, until: Moment?)
  /// Have the wireless radio listen for access points.
  case hearAccessPoints
  /// Read the clocks of the system, and tell ``TrackerEvent/systemTime(_:quality:)``.
  case readSystemClock
  /// Keep a text for the next start, in place of the last one; see ``TrackerState``.
  case save(String)

  public enum Urgency: Equatable, Sendable {
    case routine, atOnce
  }
}

extension TrackerEvent {
  var isEpoch: Bool { if case .epoch = self { true } else { false } }
}
