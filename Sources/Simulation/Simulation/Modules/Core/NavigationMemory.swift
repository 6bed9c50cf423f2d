import GNSSProtocol
import Quantities

/// The navigation data of a receiver, apart from its settings.
struct NavigationMemory: Sendable {
  /// True if its clock is set (and kept running during sleep).
  var knowsTime = false
  var position: Position?
  /// The time at which the newest ephemeris was received.
  var ephemeris: Moment?
  /// Number of satellites for which the host has supplied ephemerides or predictions since the start.
  var aidedSatellites = 0

  /// A position in degrees.
  struct Position: Sendable, Equatable {
    var latitude: Double
    var longitude: Double
  }

  /// Number of satellites with prediction or ephemeris that is sufficient for a fix.
  static let enoughSatellites = 4

  func startKind(at now: Moment, _ times: ModuleStartTimes) -> ModuleStartKind {
    guard knowsTime, position != nil else { return .cold }
    if aidedSatellites >= Self.enoughSatellites { return .hot }
    guard let ephemeris, now - ephemeris <= times.ephemerisLife else { return .warm }
    return .hot
  }

  /// Discards the data that is unknown after a start of this kind.
  mutating func forget(for kind: ModuleStartKind) {
    switch kind {
    case .hot: break
    case .warm:
      ephemeris = nil
      aidedSatellites = 0
    case .cold: self = NavigationMemory()
    }
  }
}
