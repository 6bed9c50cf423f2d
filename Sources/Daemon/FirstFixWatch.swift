import GNSS
import Quantities
import Records

/// How long the first fix takes: once for each start of the program, each start of the receiver that nobody asked for,
/// and each time that tracking is switched on. What a plan lets the receiver sleep and wake says nothing.
struct FirstFixWatch {
  enum Start: Equatable {
    case program, receiver, tracking
    /// The receiver was silent, away, or could not be read.
    case absence
  }

  /// Nil once the fix was there.
  private var waiting: (start: Start, since: Moment)?
  /// Told so, and not heard since: a receiver that is found without having been missed was only not yet announced.
  private var isAbsent = false

  init(now: Moment) { waiting = (.program, now) }

  mutating func trackingBegan(now: Moment) {
    waiting = (.tracking, now)
    isAbsent = false
  }

  /// A word on the receiver, as the log has it.
  mutating func heard(_ event: EventRecord, now: Moment) {
    switch event.kind {
    case .receiverRestarted: waiting = (.receiver, now)
    case .receiverLost, .receiverSilent, .receiverGarbled: isAbsent = true
    case .receiverFound:
      // Who never had a fix still waits for the first one.
      if isAbsent { waiting = waiting ?? (.absence, now) }
      isAbsent = false
    default: break
    }
  }

  /// The word on the fix that was waited for; nil for any other epoch.
  mutating func take(_ fix: Fix, now: Moment) -> EventRecord? {
    guard let waited = waiting, fix.kind != .none, fix.latitude != nil, fix.longitude != nil else {
      return nil
    }
    waiting = nil
    isAbsent = false
    let start: EventValue =
      switch waited.start {
      case .program: "program_start"
      case .receiver: "receiver_start"
      case .tracking: "tracking_on"
      case .absence: "data_returned"
      }
    return EventRecord(
      .firstFix, [.duration: .seconds(max(now - waited.since, .zero)), .cause: start])
  }
}
