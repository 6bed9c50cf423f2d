import Quantities
import Scheduling
import Tracking

/// A policy or limit, by its name in commands and tables.
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

  /// The log of a day under this policy.
  public func log(of replay: DayReplay) -> DayLog {
    switch self {
    case .H: Self.product(.high, replay)
    case .HCyclic: Self.product(.highInCyclicMode, replay)
    case .S10: Self.product(.within(metres: 10), replay)
    case .S20: Self.product(.within(metres: 20), replay)
    case .S50: Self.product(.within(metres: 50), replay)
    case .highResolution: Self.product(UsageProfile.highResolution.policy, replay)
    case .batterySaving: Self.product(UsageProfile.batterySaving.policy, replay)
    case .significantOnly: Self.product(UsageProfile.significantOnly.policy, replay)
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

  /// The log of the product's tracker with a tracking policy; all other settings have their defaults.
  private static func product(_ policy: TrackingPolicy, _ replay: DayReplay) -> DayLog {
    var settings = TrackerSettings(deviceID: "replay")
    settings.policy = policy
    return replay.run(settings)
  }
}
