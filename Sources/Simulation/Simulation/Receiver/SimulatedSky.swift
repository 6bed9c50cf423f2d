import Glibc
import Quantities

/// Satellites that move over the sky in the course of hours, as the GSV sentences of a receiver with NMEA 0183 4.10.
///
/// The GPS satellites are those of the GSA sentence of ``VirtualReceiver``, and some that it does not use.
public struct SimulatedSky: Sendable {
  private static let used = [2, 5, 7, 9, 13, 16, 20, 23, 26, 27, 30]
  private static let unused = [11, 18, 29]
  private static let glonass = [66, 74, 83, 88]
  /// The orbital periods in seconds.
  private static let gpsPeriod = 43_082.0
  private static let glonassPeriod = 40_544.0

  public init() {}

  /// The sentences at a time, with checksums and line ends.
  public func sentences(at time: Timestamp) -> [UInt8] {
    let seconds = Double(time.milliseconds % 86_400_000) / 1000
    let gps = (Self.used + Self.unused).enumerated().map { index, number in
      satellite(number, index, period: Self.gpsPeriod, highest: index < Self.used.count ? 85 : 14, seconds)
    }
    let glonass = Self.glonass.enumerated().map { index, number in
      satellite(number, index + 3, period: Self.glonassPeriod, highest: 60, seconds)
    }
    return (Self.groups(gps, "GP") + Self.groups(glonass, "GL")).flatMap(NMEAEpoch.framed)
  }

  /// One satellite as four fields: number, elevation, azimuth and signal.
  private func satellite(
    _ number: Int, _ index: Int, period: Double, highest: Double, _ seconds: Double
  ) -> String {
    let phase = 2 * Double.pi * (seconds / period + Double(index) * 0.137)
    let elevation = 5 + (highest - 5) * (0.5 + 0.5 * sin(phase))
    let azimuth = (Double(index) * 83 + seconds / period * 360).truncatingRemainder(dividingBy: 360)
    let signal = 22 + 24 * sin(elevation * Double.pi / 180) + 2 * sin(seconds / 17 + Double(index))
    return ",\(Self.padded(number, 2)),\(Self.padded(Int(elevation), 2)),\(Self.padded(Int(azimuth), 3)),"
      + Self.padded(Int(signal), 2)
  }

  /// The sentences of a system, with four satellites each.
  private static func groups(_ satellites: [String], _ talker: String) -> [String] {
    let count = (satellites.count + 3) / 4
    return (0..<count).map { index in
      let group = satellites.dropFirst(index * 4).prefix(4).joined()
      return "\(talker)GSV,\(count),\(index + 1),\(padded(satellites.count, 2))\(group),1"
    }
  }

  private static func padded(_ number: Int, _ digits: Int) -> String {
    let text = String(max(number, 0))
    return String(repeating: "0", count: max(digits - text.count, 0)) + text
  }
}
