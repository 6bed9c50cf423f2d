import Quantities

/// What a receiver knows of the sky, apart from its settings.
struct NavigationMemory: Sendable {
  /// Its clock runs (and ran on while it slept).
  var knowsTime = false
  var position: Position?
  /// When the newest ephemeris was read.
  var ephemeris: Moment?
  /// Satellites for which the host has given ephemeris or predictions since the start.
  var aidedSatellites = 0

  /// Degrees.
  struct Position: Sendable, Equatable {
    var latitude: Double
    var longitude: Double
  }

  /// A prediction or an ephemeris for so many satellites is enough for a fix.
  static let enoughSatellites = 4

  func startKind(at now: Moment, _ times: ModuleStartTimes) -> ModuleStartKind {
    guard knowsTime, position != nil else { return .cold }
    if aidedSatellites >= Self.enoughSatellites { return .hot }
    guard let ephemeris, now - ephemeris <= times.ephemerisLife else { return .warm }
    return .hot
  }

  /// Leaves what a start of this kind knows.
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
