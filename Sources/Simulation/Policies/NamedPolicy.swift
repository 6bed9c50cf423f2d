import Quantities
import Settings
import Tracking

/// A policy or limit by the name that commands and tables use.
public enum NamedPolicy: String, Sendable, CaseIterable {
  case H
  case HCyclic = "H-cyclic"
  case S10, S20, S50
  case highResolution = "high-resolution"
  case batterySaving = "battery-saving"
  case significantOnly = "significant-only"
  case alwaysOn = "always-on"
  case cyclic
  case fixed30 = "fixed-30"
  case fixed60 = "fixed-60"
  case fixed300 = "fixed-300"
  case traceLike = "trace-like"
  case overlandLike = "overland-like"
  case teltonikaLike = "teltonika-like"
  case plainSearch = "plain-search"
  case limitH = "limit-H"
  case limitHCyclic = "limit-H-cyclic"
  case limitS20 = "limit-S20"

  /// What it makes of a day.
  public func log(of replay: DayReplay) -> DayLog {
    switch self {
    case .H: replay.run(ReceiverPlan(.high, currents: replay.currents))
    case .HCyclic: replay.run(ReceiverPlan(.highInCyclicMode, currents: replay.currents))
    case .S10: replay.run(ReceiverPlan(.within(metres: 10), currents: replay.currents))
    case .S20: replay.run(ReceiverPlan(.within(metres: 20), currents: replay.currents))
    case .S50: replay.run(ReceiverPlan(.within(metres: 50), currents: replay.currents))
    case .highResolution:
      replay.run(ReceiverPlan(UsageProfile.highResolution.scheme, currents: replay.currents))
    case .batterySaving:
      replay.run(ReceiverPlan(UsageProfile.batterySaving.scheme, currents: replay.currents))
    case .significantOnly:
      replay.run(ReceiverPlan(UsageProfile.significantOnly.scheme, currents: replay.currents))
    case .alwaysOn: replay.run(AlwaysOn())
    case .cyclic: replay.run(AlwaysOn(.cyclic))
    case .fixed30: replay.run(FixedInterval(every: .seconds(30)))
    case .fixed60: replay.run(FixedInterval(every: .seconds(60)))
    case .fixed300: replay.run(FixedInterval(every: .seconds(300)))
    case .traceLike: replay.run(MotionGate(.traceLike))
    case .overlandLike: replay.run(MotionGate(.overlandLike))
    case .teltonikaLike: replay.run(MotionGate(.teltonikaLike))
    case .plainSearch: replay.run(PlainSearch())
    case .limitH: ChargeLimit.moving.log(of: replay)
    case .limitHCyclic: ChargeLimit.movingInCyclicMode.log(of: replay)
    case .limitS20: ChargeLimit.fewestFixes(within: 20).log(of: replay)
    }
  }
}
