import Quantities

/// What is known of the navigation state that a receiver keeps in flash while its supply is cut.
///
/// Saving and clearing wear the flash: it is saved at most once in ``leastInterval``, and only after a fix. The count
/// starts anew with the program.
struct SavedState: Equatable, Sendable {
  static let leastInterval = Duration.seconds(6 * 3600)
  /// A receiver that goes on saying that it holds a saved state is not told to drop it more often.
  static let clearInterval = Duration.seconds(60)

  private var nextSave: Moment?
  private var nextClear: Moment?
  /// Something lies there, and grows stale.
  var isKept = false
  /// Its GNSS part was stopped for the saving, and did not start since.
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
