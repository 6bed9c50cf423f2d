import Quantities
import Records
import Tracking

/// A part of the box that lives through a day beside the tracker: a log with its servers, a receiver's line, a chip.
public protocol DayCompanion: AnyObject {
  /// When it wants the next turn at the latest; nil while only an action can change anything.
  var nextTimeout: Moment? { get }
  /// What the tracker wants done.
  func take(_ actions: [TrackerAction], now: Moment)
  /// Time has passed; answers what the tracker is to be told.
  func turn(now: Moment) -> [TrackerEvent]
  /// The plug is pulled.
  func losePower(now: Moment)
  /// The plug is in again; answers what was kept for the tracker, nil where that is no affair of this part.
  func regainPower(now: Moment) -> KeptState?
}

extension DayCompanion {
  public func losePower(now: Moment) {}
  public func regainPower(now: Moment) -> KeptState? { nil }
}

/// What a tracker finds at its start.
public struct KeptState {
  public var text: String?
  public var lastLocation: LogRecord?

  public init(text: String?, lastLocation: LogRecord?) {
    (self.text, self.lastLocation) = (text, lastLocation)
  }
}

/// The earliest of deadlines, of which each may be none.
public func earliest(_ deadlines: Moment?...) -> Moment? { deadlines.compactMap(\.self).min() }
