import GNSSProtocol
import Quantities

/// The battery-backed navigation data of a receiver, apart from its settings.
struct NavigationMemory: Sendable {
  /// True if its clock is set (and kept running during sleep).
  private(set) var knowsTime = false
  private(set) var position: Position?
  /// The time at which the newest ephemeris was received.
  private var ephemeris: Moment?
  /// Number of satellites for which the host has supplied ephemerides or predictions since the start.
  private var aidedSatellites = 0

  /// A position in degrees.
  struct Position: Sendable, Equatable {
    var latitude: Double
    var longitude: Double
  }

  /// Number of satellites with prediction or ephemeris that is sufficient for a fix.
  static let enoughSatellites = 4

  /// The memory before a first start of this kind at ``Moment/zero``, at a position.
  init(before kind: ModuleStartKind, at position: Position) {
    switch kind {
    case .hot:
      learn(position)
      learnEphemeris(at: .zero)
    case .warm: learn(position)
    case .cold: break
    }
  }

  func startKind(at now: Moment, _ times: ModuleStartTimes) -> ModuleStartKind {
    guard knowsTime, position != nil else { return .cold }
    if aidedSatellites >= Self.enoughSatellites { return .hot }
    guard let ephemeris, now - ephemeris <= times.ephemerisLife else { return .warm }
    return .hot
  }

  /// Stores the position of a fix, which also sets the clock.
  mutating func learn(_ position: Position) {
    knowsTime = true
    self.position = position
  }

  /// Stores an ephemeris that was received completely.
  mutating func learnEphemeris(at now: Moment) { ephemeris = now }

  /// Stores aiding data of the host: the time, a position, and data for a number of further satellites.
  mutating func aid(time: Bool, position: Position?, satellites: Int) {
    if time { knowsTime = true }
    if let position { self.position = position }
    aidedSatellites += satellites
  }

  /// Discards the data that is unknown after a start of this kind.
  mutating func forget(for kind: ModuleStartKind) {
    switch kind {
    case .hot: break
    case .warm:
      ephemeris = nil
      aidedSatellites = 0
    case .cold:
      forgetTime()
      position = nil
      ephemeris = nil
      aidedSatellites = 0
    }
  }

  /// Discards the data for satellites that the host has supplied, which is valid for one start.
  mutating func forgetAiding() { aidedSatellites = 0 }

  /// Discards the time, as in a copy that was saved without a running clock.
  mutating func forgetTime() { knowsTime = false }
}
