import Quantities

/// The cause of the present power level.
public enum PowerCause: Equatable, Sendable {
  /// The battery has not been read yet.
  case unread
  /// The level was restored from an earlier run.
  case restored
  /// Charge in percent.
  case charge(Double, limit: Double)
  /// Voltage in V.
  case voltage(Double, limit: Double)
  /// Cell temperature in °C.
  case temperature(Double, limit: Double)
  case charger
  /// No reading for this long.
  case silence(Duration)
  /// Constant readings for this long.
  case standstill(Duration)

  /// The charge in percent; nil for other causes.
  public var percent: Double? {
    if case .charge(let percent, _) = self { percent } else { nil }
  }

  /// The cause as a clause for people.
  public var text: String {
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
      "no battery reading for \(Int64(duration.inSeconds)) s; the level is normal until the gauge responds"
    case .standstill(let duration):
      "same battery reading for \(Int64(duration.inSeconds)) s; ignored until it changes"
    }
  }

  package static func text(_ number: Double) -> String {
    let rounded = (number * 100).rounded() / 100
    return Int64(exactly: rounded).map(String.init) ?? "\(rounded)"
  }
}
