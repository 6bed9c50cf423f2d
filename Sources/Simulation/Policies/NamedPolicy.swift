import Quantities
import Tracking

/// A policy or limit by the name that commands and tables use.
public enum NamedPolicy: String, Sendable, CaseIterable {
  case alwaysOn = "always-on"
  case cyclic
  case fixed30 = "fixed-30"
  case fixed60 = "fixed-60"
  case fixed300 = "fixed-300"
  case limitH = "limit-H"
  case limitHCyclic = "limit-H-cyclic"
  case limitS20 = "limit-S20"

  /// What it makes of a day.
  public func log(of replay: DayReplay) -> DayLog {
    switch self {
    case .alwaysOn: replay.run(AlwaysOn())
    case .cyclic: replay.run(AlwaysOn(.cyclic))
    case .fixed30: replay.run(FixedInterval(every: .seconds(30)))
    case .fixed60: replay.run(FixedInterval(every: .seconds(60)))
    case .fixed300: replay.run(FixedInterval(every: .seconds(300)))
    case .limitH: ChargeLimit.moving.log(of: replay)
    case .limitHCyclic: ChargeLimit.movingInCyclicMode.log(of: replay)
    case .limitS20: ChargeLimit.fewestFixes(within: 20).log(of: replay)
    }
  }
}
