import Energy
import Quantities
import Scheduling

/// A policy in which the receiver never sleeps, and each fix is a record.
public struct AlwaysOn: ReceiverPolicy {
  public let state: ReceiverState
  public let nextTimeout: Moment? = nil

  public init(_ state: ReceiverState = .tracking) { self.state = state }

  public mutating func handle(_ event: ReceiverScheduleEvent, now: Moment) -> [ReceiverScheduleAction] {
    switch event {
    case .started, .resumed, .continued: [.receiver(state, until: nil)]
    case .epoch(let fix): fix.kind == .none ? [] : [.keep(.period)]
    case .received, .cyclicMode, .positionCheckRequested, .positionKnown, .evidence, .evidenceLost,
      .positionRequested,
      .timeRequested, .timeKnown,
      .policy:
      []
    }
  }

  public mutating func handleTimeout(now: Moment) -> [ReceiverScheduleAction] { [] }
}
