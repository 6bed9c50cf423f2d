import GNSSProtocol
import Glibc
import Quantities

/// The data that a module reports for one epoch.
struct ModuleEpoch: Sendable {
  /// Number of the epoch, from 0 at the start.
  var number: Int
  var time: Timestamp
  var sinceStart: Duration
  var timeToFix: Duration?
  var knowsTime: Bool
  var knowsDate: Bool
  /// The solution; nil before the first fix and without reception.
  var fix: NMEAEpoch?
  /// The last known position.
  var oldPosition: NavigationMemory.Position?
  /// The satellites of GPS and GLONASS.
  var systems = [SimulatedConstellation.gps, .glonass]

  static let geoidSeparation = 39.5

  /// True if a message that is sent every `rate` epochs is due (0 never).
  func isDue(_ rate: Int) -> Bool { rate > 0 && number % rate == 0 }
}

extension NMEAEpoch {
  /// Velocity in m/s.
  var velocity: (north: Double, east: Double) {
    let course = (course ?? 0) * .pi / 180
    return (speed * cos(course), speed * sin(course))
  }
}
