import Quantities

/// The value for which a fix was rejected, for people. It is formatted only on demand, not for every fix.
public enum RejectedValue: Equatable, Sendable, CustomStringConvertible {
  /// No value, because the fix is in a privacy zone.
  case hidden
  case time(Timestamp?)
  case position(latitude: Double, longitude: Double)
  /// Time since the last record.
  case pause(Duration)
  /// Distance in metres from the last record.
  case distance(Double)
  /// Required speed in m/s.
  case speed(Double)
  /// Horizontal accuracy in metres; nil if the receiver reports none.
  case accuracy(Double?)

  /// The value with its unit; empty if hidden.
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

  /// Truncates a value to tenths, so that one below a limit never looks as if it reached it.
  private static func tenths(_ value: Double) -> Double { Double(whole(value * 10)) / 10 }
}
