import Glibc
import Quantities

/// What a module has to report of one epoch.
struct ModuleEpoch: Sendable {
  /// From 0 at the start.
  var number: Int
  var time: Timestamp
  var sinceStart: Duration
  var timeToFix: Duration?
  var knowsTime: Bool
  var knowsDate: Bool
  /// The solution; nil before the first fix and without sky.
  var fix: NMEAEpoch?
  /// Where it was when it last knew.
  var oldPosition: NavigationMemory.Position?

  static let geoidSeparation = 39.5

  /// Whether a message that comes every `rate` epochs is due (0 never).
  func isDue(_ rate: Int) -> Bool { rate > 0 && number % rate == 0 }
}

extension NMEAEpoch {
  /// m/s
  var velocity: (north: Double, east: Double) {
    let course = (course ?? 0) * .pi / 180
    return (speed * cos(course), speed * sin(course))
  }
}
