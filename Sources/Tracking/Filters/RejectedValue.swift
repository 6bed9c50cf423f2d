import Quantities

/// What a person wants to know of a rejected fix. It is written out when somebody asks, and not for each fix.
public enum RejectedValue: Equatable, Sendable, CustomStringConvertible {
  /// What lies in a private zone tells nothing.
  case hidden
  case time(Timestamp?)
  case position(latitude: Double, longitude: Double)
  /// Since the last record.
  case pause(Duration)
  /// Metres from the last record.
  case distance(Double)
  /// m/s that it would take.
  case speed(Double)
  /// Metres; nil where the receiver does not say.
  case accuracy(Double?)

  /// With its unit; empty for what is hidden.
  public var description: String {
    switch self {
    case .hidden: ""
    case .time(let time): time?.iso8601() ?? "undated"
    case .position(let latitude, let longitude): "\(latitude), \(longitude)"
    case .pause(let pause): "\(Self.tenths(pause.inSeconds)) s"
    case .distance(let metres): "\(Self.tenths(metres)) m"
    case .speed(let speed): "\(Self.whole(speed)) m/s"
    case .accuracy(let metres): metres.map { "\(Self.whole($0.rounded())) m" } ?? "unknown"
    }
  }

  private static func whole(_ value: Double) -> Int { value.isFinite ? Int(min(max(value, -1e9), 1e9)) : 0 }

  /// Cut off, so that what is too little never reads like enough.
  private static func tenths(_ value: Double) -> Double { Double(whole(value * 10)) / 10 }
}
