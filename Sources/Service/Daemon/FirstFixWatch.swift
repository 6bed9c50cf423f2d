import GNSSProtocol
import Quantities
import Records

/// Measures the time to the first fix.
///
/// It measures after a start of the program, an unrequested restart of the receiver, a return of its data, and when tracking
/// is switched on. Scheduled sleep of the receiver is not measured.
struct FirstFixWatch {
  /// The start of a measurement.
  enum Start: Equatable {
    case program, receiver, tracking
    /// The receiver was silent, disconnected, or unreadable.
    case absence
  }

  /// The running measurement; nil after the fix.
  private var waiting: (start: Start, since: Moment)?
  /// True from the report of a loss until the receiver is found. A receiver found without a loss is the first report of it.
  private var isAbsent = false
  /// The last measured time; nil before the first fix.
  private(set) var last: Duration?

  init(now: Moment) { waiting = (.program, now) }

  /// Starts a measurement because tracking was switched on.
  mutating func trackingBegan(now: Moment) {
    waiting = (.tracking, now)
    isAbsent = false
  }

  /// Handles an event of the receiver.
  mutating func received(_ event: EventRecord, now: Moment) {
    switch event.kind {
    case .receiverRestarted: waiting = (.receiver, now)
    case .receiverLost, .receiverSilent, .receiverGarbled: isAbsent = true
    case .receiverFound:
      // A running measurement continues.
      if isAbsent { waiting = waiting ?? (.absence, now) }
      isAbsent = false
    default: break
    }
  }

  /// Processes the fix of an epoch; returns the event of a first fix, nil for any other.
  mutating func take(_ fix: Fix, now: Moment) -> EventRecord? {
    guard let waited = waiting, fix.kind != .none, fix.latitude != nil, fix.longitude != nil else {
      return nil
    }
    waiting = nil
    isAbsent = false
    last = max(now - waited.since, .zero)
    let start: EventValue =
      switch waited.start {
      case .program: "program_start"
      case .receiver: "receiver_start"
      case .tracking: "tracking_on"
      case .absence: "data_returned"
      }
    return EventRecord(
      .firstFix, [.duration: .seconds(last ?? .zero), .cause: start])
  }
}
