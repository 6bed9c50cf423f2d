import Energy
import GNSSProtocol
import Quantities
import Records
import Scheduling

/// An input of the tracker.
public enum TrackerEvent: Equatable, Sendable {
  /// The program started. `lastLocation` is the newest location of the log, nil for an empty log; `after` holds the
  /// fields about the end of the previous run. `resuming` is given if a planned sleep of the host ended, and the sleep of
  /// the receiver continues. `lastDated` is the time of the last dated record of the log.
  case started(
    lastLocation: LogRecord?, after: EventFields = [:], resuming: Resumption? = nil,
    lastDated: Timestamp? = nil)
  /// An epoch of the receiver, with or without position. `systemClock` is the system's UTC, and `isSynchronised` is true if
  /// a time service disciplines it; both only limit the dates that are believed.
  case epoch(Fix, systemClock: Timestamp, isSynchronised: Bool = false)
  /// An epoch of a receiver that has just started and may repeat old data; it is only counted.
  case withheld(Fix)
  /// The strongest signal while there is no fix, in dB-Hz.
  case received(strongest: Double)
  /// The receiver is identified.
  case receiverIdentified(ReceiverFamily)
  /// Cyclic tracking became available or unavailable.
  case cyclicMode(isOffered: Bool)
  /// The Wi-Fi network that the device has joined; nil if none, or if unknown.
  case network(JoinedNetwork?)
  /// The logger switched the radio off, and with it the network. This does not indicate a move.
  case radioSwitchedOff
  /// The time of the system clock or clock chip, after ``TrackerAction/readSystemClock``; nil if nothing synchronizes
  /// them.
  case systemTime(Timestamp?, quality: ClockQuality)
  /// The addresses of the access points in range, after ``TrackerAction/scanAccessPoints``.
  case accessPoints(Set<String>)
  /// A check-in: the next position is recorded in any mode and at any distance, even with a critical battery, because
  /// a server expects it.
  case checkIn
  /// An event of another part; the tracker only dates it.
  case occurred(EventRecord)
  /// The battery's state by a gauge.
  case battery(Battery)
  /// The text of the last ``TrackerAction/save(_:)``, at the start.
  case restored(String)
  /// The motion state by the accelerometer; empty while undecided or without one.
  case motion(MotionStates)
  /// A motion sensor changed.
  case evidence(MotionSource, isActive: Bool)
  /// A motion sensor failed and reports nothing more.
  case evidenceLost(MotionSource)
  /// The ignition line; nil if it cannot be read any more.
  case ignition(Bool?)
  /// The supply changed; nil if no gauge reports it any more.
  case supply(SupplyReading?)
  /// Steps since the counter began.
  case steps(Int32)
  /// A reading of the battery or the supply, changed or not; the power level follows several of them.
  case power(PowerReading)
  /// Remaining and used charge, reported every few hours.
  case powerUse(PowerUse)
  /// A request for a position: like a check-in, but not with a critical battery whose last position is recorded.
  case positionRequested
  case trip(TripCommand)
  /// Changed settings; `changed` lists the changes for the log.
  indirect case settings(TrackerSettings, changed: [String])
  /// The program is about to end.
  case stopping
}

/// An action that the tracker requests from its owner.
public enum TrackerAction: Equatable, Sendable {
  /// Store a record; `atOnce` makes it durable immediately.
  case keep(LogRecord, Urgency)
  /// The date became known or changed: UTC in milliseconds minus the moment in milliseconds, for all undated records
  /// of this boot, and for those to come.
  case date(offsetMilliseconds: Int64)
  /// Bring the receiver into this state. `until` is the latest time at which it is required again; nil if only an
  /// event ends the state.
  case receiver(ReceiverState, until: Moment?)
  /// Scan for access points.
  case scanAccessPoints
  /// Read the system clock and the clock chip, and report ``TrackerEvent/systemTime(_:quality:)``.
  case readSystemClock
  /// Save a text for the next start, in place of the last one; see ``TrackerState``.
  case save(String)

  /// The urgency of a record.
  public enum Urgency: Equatable, Sendable {
    case routine, atOnce
  }
}

extension TrackerEvent {
  var isEpoch: Bool { if case .epoch = self { true } else { false } }
}
