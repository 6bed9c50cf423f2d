import Simulation
import Tracking

/// What lives through a day: one of the known policies, or the operator's own configuration.
enum ReplayPolicy: Equatable {
  case known(NamedPolicy)
  /// The plan that a configuration makes; nil: its receiver is on all the time.
  case configured(ReceiverScheme?)

  /// What the configuration is called among the policies.
  static let configuredName = "config"

  static var names: [String] { NamedPolicy.allCases.map(\.rawValue) + [configuredName] }

  var name: String {
    switch self {
    case .known(let policy): policy.rawValue
    case .configured: Self.configuredName
    }
  }

  func log(of replay: DayReplay) -> DayLog {
    switch self {
    case .known(let policy): policy.log(of: replay)
    case .configured(let scheme?): replay.run(ReceiverPlan(scheme, currents: replay.currents))
    case .configured(nil): replay.run(AlwaysOn())
    }
  }
}
