import Replay
import Tracking

/// The policy of a replay: one of the built-in policies, or the operator's own configuration.
enum ReplayPolicy: Equatable {
  case known(NamedPolicy)
  /// The tracker with a configuration.
  case configured(TrackerSettings)

  /// The name of the configuration among the policies.
  static let configuredName = "config"

  static var names: [String] { NamedPolicy.allCases.map(\.rawValue) + [configuredName] }

  var name: String {
    switch self {
    case .known(let policy): policy.rawValue
    case .configured: Self.configuredName
    }
  }

  /// The log of the whole device; nil for a policy without the product's tracker.
  func log(of replay: DayReplay, on device: DeviceModel) -> DayLog? {
    switch self {
    case .known: nil
    case .configured(let settings): replay.run(settings, on: device)
    }
  }

  func log(of replay: DayReplay) -> DayLog {
    switch self {
    case .known(let policy): policy.log(of: replay)
    case .configured(let settings): replay.run(settings)
    }
  }
}
