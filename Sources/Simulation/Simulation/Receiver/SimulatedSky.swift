import Glibc
import Quantities

/// Satellites that move over the sky in the course of hours: eleven GPS satellites in the solution and three low ones
/// that are not, and four of GLONASS.
struct SimulatedSky: Sendable {
  private static let used = [2, 5, 7, 9, 13, 16, 20, 23, 26, 27, 30]
  private static let unused = [11, 18, 29]
  private static let glonass = [66, 74, 83, 88]
  /// The orbital periods in seconds.
  private static let gpsPeriod = 43_082.0
  private static let glonassPeriod = 40_544.0

  /// The satellites of both systems at a time; without reception none of them has a signal.
  func systems(at time: Timestamp, hasReception: Bool) -> [SimulatedConstellation] {
    let seconds = Double(time.milliseconds % 86_400_000) / 1000
    var gps = SimulatedConstellation.gps
    gps.satellites = (Self.used + Self.unused).enumerated().map { index, number in
      let isUsed = index < Self.used.count
      return satellite(
        number, index, period: Self.gpsPeriod, highest: isUsed ? 85 : 14, isUsed: isUsed, seconds)
    }
    var glonass = SimulatedConstellation.glonass
    glonass.satellites = Self.glonass.enumerated().map { index, number in
      satellite(number, index + 3, period: Self.glonassPeriod, highest: 60, isUsed: false, seconds)
    }
    guard !hasReception else { return [gps, glonass] }
    return [gps, glonass].map { system in
      var system = system
      for index in system.satellites.indices { system.satellites[index].strength = 0 }
      return system
    }
  }

  private func satellite(
    _ number: Int, _ index: Int, period: Double, highest: Double, isUsed: Bool, _ seconds: Double
  ) -> SimulatedConstellation.Satellite {
    let phase = 2 * Double.pi * (seconds / period + Double(index) * 0.137)
    let elevation = 5 + (highest - 5) * (0.5 + 0.5 * sin(phase))
    let azimuth = (Double(index) * 83 + seconds / period * 360).truncatingRemainder(dividingBy: 360)
    let signal = 22 + 24 * sin(elevation * Double.pi / 180) + 2 * sin(seconds / 17 + Double(index))
    return .init(
      number: number, elevation: Int(elevation), azimuth: Int(azimuth), strength: Int(signal), isUsed: isUsed)
  }
}
