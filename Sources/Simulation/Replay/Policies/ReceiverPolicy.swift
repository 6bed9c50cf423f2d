import Quantities
import Scheduling

/// A policy that switches a receiver and selects records, for comparison with the product.
public protocol ReceiverPolicy: Sendable {
  mutating func handle(_ event: ReceiverScheduleEvent, now: Moment) -> [ReceiverScheduleAction]
  var nextTimeout: Moment? { get }
  mutating func handleTimeout(now: Moment) -> [ReceiverScheduleAction]
}
