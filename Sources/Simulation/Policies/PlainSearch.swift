import Energy
import GNSS
import Quantities
import Tracking

/// A reference policy for a day without reception: acquisition for two minutes, then pauses of 5, 10, 20, 40
/// and 60 minutes.
public struct PlainSearch: ReceiverPolicy {
  static let limit = Duration.seconds(120)
  static let shortestRest = Duration.seconds(300)
  static let longestRest = Duration.seconds(3600)

  public private(set) var nextTimeout: Moment?
  private var isOn = false
  private var rest = PlainSearch.shortestRest

  public init() {}

  public mutating func handle(_ event: PlanEvent, now: Moment) -> [PlanAction] {
    switch event {
    case .started: return wake(now: now)
    case .epoch(let fix):
      guard fix.kind != .none else { return [] }
      nextTimeout = nil
      return [.keep(.period)]
    case .heard, .cyclicMode, .lookWanted, .placeKnown, .evidence, .evidenceLost, .positionWanted,
      .timeWanted, .timeKnown,
      .scheme:
      return []
    }
  }

  public mutating func handleTimeout(now: Moment) -> [PlanAction] {
    guard let nextTimeout, now >= nextTimeout else { return [] }
    guard isOn else { return wake(now: now) }
    isOn = false
    self.nextTimeout = now + rest
    rest = min(rest + rest, Self.longestRest)
    return [.receiver(.backup, until: self.nextTimeout)]
  }

  private mutating func wake(now: Moment) -> [PlanAction] {
    isOn = true
    nextTimeout = now + Self.limit
    return [.receiver(.searching, until: nil)]
  }
}
