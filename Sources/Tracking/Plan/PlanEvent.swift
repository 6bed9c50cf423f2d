import GNSS
import Quantities

/// What a receiver plan is told.
public enum PlanEvent: Equatable, Sendable {
  /// The program has begun; the receiver is to be taken for asleep.
  case started
  /// An epoch of the receiver, with or without a position.
  case epoch(Fix)
  /// The strongest satellite heard while there is no fix, in dB-Hz.
  case heard(strongest: Double)
  /// The receiver can be told to track in cyclic mode, or not any more; until this is told, the scheme's word counts.
  case cyclicMode(isOffered: Bool)
  /// Some evidence of motion came or went.
  case evidence(MotionSource, isActive: Bool)
  /// A sensor failed or was taken away: it says nothing any more.
  case evidenceLost(MotionSource)
  /// An event of the log, a check-in or the operator wants a position now, moving or not.
  case positionWanted
  /// Nobody knows the time, and no positions are wanted that would tell it: one search does.
  case timeWanted
  /// It is known now, from whatever source.
  case timeKnown
  /// Something hints that the box was moved: one look tells, where it is thought to rest.
  case lookWanted
  /// Where a stationary box is, without the receiver; nil when that is not known any more.
  case placeKnown(Coordinate?)
  /// Other wishes of the operator, or another battery level.
  case scheme(ReceiverScheme)
}
