import Quantities
import Records
import Tracking

/// A part of the device that takes part in a simulated day beside the tracker: a log with its servers, a serial line,
/// a chip.
public protocol DayCompanion: AnyObject {
  /// The next deadline; nil if only an action can change anything.
  var nextTimeout: Moment? { get }
  /// Takes the actions of the tracker.
  func take(_ actions: [TrackerAction], now: Moment)
  /// Advances the time; returns inputs for the tracker.
  func advance(now: Moment) -> [TrackerEvent]
  /// Takes a power cut.
  func losePower(now: Moment)
  /// Takes the return of the power; returns the state saved for the tracker, nil if this part saves none.
  func regainPower(now: Moment) -> KeptState?
}

extension DayCompanion {
  public func losePower(now: Moment) {}
  public func regainPower(now: Moment) -> KeptState? { nil }
}

/// The saved state that a tracker gets at its start.
public struct KeptState {
  public var text: String?
  public var lastLocation: LogRecord?

  public init(text: String?, lastLocation: LogRecord?) {
    (self.text, self.lastLocation) = (text, lastLocation)
  }
}

/// The earliest deadline; nil means none.
public func earliest(_ deadlines: Moment?...) -> Moment? { deadlines.compactMap(\.self).min() }
