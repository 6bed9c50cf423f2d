import Glibc
import Quantities

/// A simulated GNSS receiver: it follows a ``Drive`` or a ``RecordedPath`` and sends the sentences of a module with
/// factory settings in each epoch, with the errors of good reception.
public struct VirtualReceiver: Sendable {
  private var drive: Drive
  private let path: RecordedPath?
  private var random: SplitMix64
  /// Position error in metres, varying slowly.
  private var error = (north: 0.0, east: 0.0, up: 0.0)
  private var time: Timestamp?

  /// One sigma per axis in metres.
  static let positionSigma = 1.5
  /// Correlation time of the error in seconds.
  static let errorMemory = 30.0
  private static let metresPerDegree = 111_194.9

  /// Creates a receiver that follows `path`, or the route without one; the same seed gives the same noise.
  public init(route: CityRoute, path: RecordedPath? = nil, seed: UInt64) {
    drive = Drive(route: route)
    self.path = path
    random = SplitMix64(seed: seed)
  }

  /// The sentences of the epoch at `time` (RMC, VTG, GGA, GSA, GST), in order.
  ///
  /// Between two calls the vehicle drives for the time between them, at most an hour.
  public mutating func epoch(at time: Timestamp) -> [UInt8] { solution(at: time).sentences }

  /// Maximum driving time in seconds between two epochs.
  private static let longestAway = 3600.0

  mutating func solution(at time: Timestamp) -> NMEAEpoch {
    let elapsed = self.time.map { (time - $0).inSeconds } ?? 1
    self.time = time
    if path == nil { drive.advance(seconds: min(max(elapsed, 0), Self.longestAway)) }
    wander(seconds: min(max(elapsed, 0.1), 60))
    let state = path?.state(at: time) ?? drive.state
    let latitude = state.latitude + error.north / Self.metresPerDegree
    let longitude =
      state.longitude + error.east / (Self.metresPerDegree * cos(state.latitude * .pi / 180))
    return NMEAEpoch(
      time: time, latitude: latitude, longitude: longitude, altitude: 38 + error.up,
      speed: max(0, state.speed + gaussian() * 0.05), course: state.speed > 0.5 ? state.course : nil,
      satellites: 11, horizontalDilution: 0.8, sigma: (Self.positionSigma, Self.positionSigma, 2.6)
    )
  }

  private mutating func wander(seconds: Double) {
    let kept = exp(-seconds / Self.errorMemory)
    let fresh = (1 - kept * kept).squareRoot() * Self.positionSigma
    error.north = error.north * kept + gaussian() * fresh
    error.east = error.east * kept + gaussian() * fresh
    error.up = error.up * kept + gaussian() * fresh * 1.7
  }

  /// A normally distributed number (Box and Muller).
  private mutating func gaussian() -> Double {
    let radius = (-2 * log(Double.random(in: .leastNonzeroMagnitude..<1, using: &random))).squareRoot()
    return radius * cos(2 * .pi * Double.random(in: 0..<1, using: &random))
  }
}
