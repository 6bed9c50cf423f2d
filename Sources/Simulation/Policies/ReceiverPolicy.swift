import Quantities
import Tracking

/// What switches a receiver and chooses records, to compare the product with.
public protocol ReceiverPolicy: Sendable {
  mutating func handle(_ event: PlanEvent, now: Moment) -> [PlanAction]
  var nextTimeout: Moment? { get }
  mutating func handleTimeout(now: Moment) -> [PlanAction]
}
