import Quantities

/// Tracks the navigation state that a receiver keeps in flash memory while its supply is cut.
///
/// Saving and clearing wear the flash: the state is saved at most once in ``leastInterval``, and only after a
/// fix. The limit starts again with the program.
struct SavedState: Equatable, Sendable {
  static let leastInterval = Duration.seconds(6 * 3600)
  /// Minimum time between two clear commands, for a receiver that keeps reporting a saved state.
  static let clearInterval = Duration.seconds(60)

  private var nextSave: Moment?
  private var nextClear: Moment?
  /// True if a state is stored; it goes out of date.
  var isKept = false
  /// True if the GNSS part was stopped for saving and has not been restarted.
  var isStopped = false

  func maySave(now: Moment) -> Bool { nextSave.map { now >= $0 } ?? true }

  mutating func saves(now: Moment) {
    nextSave = now + Self.leastInterval
    isStopped = true
  }

  func mayClear(now: Moment) -> Bool { isKept && (nextClear.map { now >= $0 } ?? true) }

  mutating func cleared(now: Moment) {
    isKept = false
    nextClear = now + Self.clearInterval
  }
}
