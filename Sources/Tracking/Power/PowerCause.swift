import Quantities

/// Why the box is at its level.
public enum PowerCause: Equatable, Sendable {
  /// Nothing has been read of the battery yet.
  case unread
  /// As it was when the program ended.
  case restored
  /// Percent.
  case charge(Double, limit: Double)
  /// V.
  case voltage(Double, limit: Double)
  /// °C of a cell.
  case temperature(Double, limit: Double)
  case charger
  /// No reading for so long.
  case silence(Duration)
  /// The readings stand still for so long.
  case standstill(Duration)

  /// Percent, as far as it is one.
  public var percent: Double? {
    if case .charge(let percent, _) = self { percent } else { nil }
  }

  /// For people.
  public var words: String {
    switch self {
    case .unread: "the battery has not been read yet"
    case .restored: "as before the restart, until the battery is read"
    case .charge(let percent, let limit):
      "charge \(Self.text(percent)) %, limit \(Self.text(limit)) %"
    case .voltage(let volts, let limit): "\(Self.text(volts)) V, limit \(Self.text(limit)) V"
    case .temperature(let degrees, let limit):
      "cell temperature \(Self.text(degrees)) °C, limit \(Self.text(limit)) °C"
    case .charger: "the battery is charged"
    case .silence(let duration):
      "no battery reading for \(Int64(duration.inSeconds)) s; a lost gauge stops nothing"
    case .standstill(let duration):
      "same battery reading for \(Int64(duration.inSeconds)) s; ignored until it changes"
    }
  }

  static func text(_ number: Double) -> String {
    let rounded = (number * 100).rounded() / 100
    return Int64(exactly: rounded).map(String.init) ?? "\(rounded)"
  }
}
