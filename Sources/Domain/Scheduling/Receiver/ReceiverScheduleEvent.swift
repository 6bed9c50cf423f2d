import GNSSProtocol
import Quantities

/// An input of the receiver schedule.
public enum ReceiverScheduleEvent: Equatable, Sendable {
  /// The program has started; the receiver is assumed to be asleep.
  case started
  /// The program has started after a sleep of the host that nobody else ended: the sleep of the receiver continues, at the
  /// position of the last record, if there is one.
  case resumed(SavedSleep, at: Coordinate?)
  /// The program has started after a sleep of the host during which the receiver went on tracking and stored its epochs. They
  /// follow, the oldest from `after` ago.
  case continued(SavedTracking, after: Duration)
  /// An epoch of the receiver, with or without position.
  case epoch(Fix)
  /// The strongest signal while there is no fix, in dB-Hz.
  case received(strongest: Double)
  /// Cyclic tracking became available or unavailable. Before the first report the tracking policy's value applies.
  case cyclicMode(isOffered: Bool)
  /// A motion source changed.
  case evidence(MotionSource, isActive: Bool)
  /// A sensor failed or was removed and reports nothing more.
  case evidenceLost(MotionSource)
  /// An event of the log, a check-in or the operator requests a position now, moving or not.
  case positionRequested
  /// The time is unknown, and no locations are required that would provide it: one search is made for it.
  case timeRequested
  /// The time is known, from any source.
  case timeKnown
  /// A hint that the device was moved; a stationary device makes a position check.
  case positionCheckRequested
  /// The location of a stationary device, known without the receiver; nil if it is no longer known.
  case positionKnown(Coordinate?)
  /// The tracking policy changed, because the settings or the power level changed.
  case policy(TrackingPolicy)
}
