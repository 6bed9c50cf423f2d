import History
import Quantities

/// The units of speeds, distances and altitudes in text. JSON is always in SI units.
enum UnitSystem: String, CaseIterable {
  case metric, imperial, nautical

  static let help = "UNITS: \(allCases.map(\.rawValue).joined(separator: ", "))"

  /// Reads a word; throws if it is unknown.
  init(word: String) throws(Arguments.Misuse) {
    guard let units = UnitSystem(rawValue: word) else {
      throw Arguments.Misuse(
        message: "--units: expected \(Self.allCases.map(\.rawValue).joined(separator: ", ")), got \"\(word)\""
      )
    }
    self = units
  }

  private static let metresPerMile = 1609.344
  private static let metresPerNauticalMile = 1852.0
  private static let metresPerFoot = 0.3048

  /// Renders a speed, given in m/s.
  func speed(_ speed: Double) -> String {
    switch self {
    case .metric: "\((speed * 3.6).text(decimals: 1)) km/h"
    case .imperial: "\((speed * 3600 / Self.metresPerMile).text(decimals: 1)) mph"
    case .nautical: "\((speed * 3600 / Self.metresPerNauticalMile).text(decimals: 1)) kn"
    }
  }

  /// Renders a distance, given in m.
  func distance(_ metres: Double) -> String {
    switch self {
    case .metric: metres.metricDistance
    case .imperial:
      metres < Self.metresPerMile / 10
        ? short(metres) : "\((metres / Self.metresPerMile).text(decimals: 1)) mi"
    case .nautical:
      metres < Self.metresPerNauticalMile / 10
        ? short(metres) : "\((metres / Self.metresPerNauticalMile).text(decimals: 1)) NM"
    }
  }

  /// Renders an altitude or an accuracy, given in m.
  func short(_ metres: Double) -> String {
    switch self {
    case .metric, .nautical: "\(metres.text(decimals: 0)) m"
    case .imperial: "\((metres / Self.metresPerFoot).text(decimals: 0)) ft"
    }
  }
}
