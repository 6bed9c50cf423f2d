import Quantities
import Tracking

/// What switches a receiver and chooses records: the product's plan, and those it is compared with.
public protocol ReceiverPolicy: Sendable {
  mutating func handle(_ event: PlanEvent, now: Moment) -> [PlanAction]
  var nextTimeout: Moment? { get }
  mutating func handleTimeout(now: Moment) -> [PlanAction]
}

extension ReceiverPlan: ReceiverPolicy {}
