import Energy
import Quantities
import Scheduling

/// A reference policy for a day without reception: acquisition for two minutes, then pauses of 5, 10, 20, 40
/// and 60 minutes.
public struct PlainSearch: ReceiverPolicy {
  static let limit = Duration.seconds(120)
  static let shortestBackOff = Duration.seconds(300)
  static let longestBackOff = Duration.seconds(3600)

  public private(set) var nextTimeout: Moment?
  private var isOn = false
  private var backOff = PlainSearch.shortestBackOff

  public init() {}

  public mutating func handle(_ event: ReceiverScheduleEvent, now: Moment) -> [ReceiverScheduleAction] {
    switch event {
    case .started, .resumed, .continued: return wake(now: now)
    case .epoch(let fix):
      guard fix.kind != .none else { return [] }
      nextTimeout = nil
      return [.keep(.period)]
    case .received, .cyclicMode, .positionCheckRequested, .positionKnown, .evidence, .evidenceLost,
      .positionRequested,
      .timeRequested, .timeKnown,
      .policy:
      return []
    }
  }

  public mutating func handleTimeout(now: Moment) -> [ReceiverScheduleAction] {
    guard let nextTimeout, now >= nextTimeout else { return [] }
    guard isOn else { return wake(now: now) }
    isOn = false
    self.nextTimeout = now + backOff
    backOff = min(backOff + backOff, Self.longestBackOff)
    return [.receiver(.backup, until: self.nextTimeout)]
  }

  private mutating func wake(now: Moment) -> [ReceiverScheduleAction] {
    isOn = true
    nextTimeout = now + Self.limit
    return [.receiver(.searching, until: nil)]
  }
}
