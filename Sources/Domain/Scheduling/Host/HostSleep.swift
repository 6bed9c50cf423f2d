import Quantities
import Records

/// A scheduled sleep of the host.
public struct HostSleep: Equatable, Sendable {
  /// The sleep state: suspend or halt.
  public var depth: HostDepth
  /// The time of the decision.
  public var since: Moment
  /// The time of the alarm, early enough for the task.
  public var wake: Moment
  /// The task for which the host wakes.
  public var need: HostNeed

  public init(_ depth: HostDepth, since: Moment, wake: Moment, need: HostNeed) {
    self.depth = depth
    self.since = since
    self.wake = wake
    self.need = need
  }

  /// Time from the decision to the alarm.
  public var planned: Duration { wake - since }

  /// The sleep as a clause for people.
  public var text: String {
    "\(depth.rawValue) for \(planned.wholeSeconds) s; wake-up for \(need.purpose.text)"
  }
}

/// A wake-up of the host.
public struct HostWaking: Equatable, Sendable {
  /// Time before the alarm up to which a wake-up counts as caused by it.
  static let tolerance = Duration.seconds(30)

  /// The time asleep; nil if no clock provides it.
  public var slept: Duration?
  /// The scheduled time asleep; nil if another program caused the sleep.
  public var planned: Duration?

  public init(slept: Duration?, planned: Duration?) {
    self.slept = slept
    self.planned = planned
  }

  /// True if the alarm caused the wake-up; false if no clock provides the time asleep.
  public var isAsPlanned: Bool {
    guard let slept, let planned else { return false }
    return slept + Self.tolerance >= planned
  }

  /// The fields of the wake-up event.
  public var fields: EventFields {
    guard let slept else { return [:] }
    let cause: EventValue = planned == nil ? "other_program" : isAsPlanned ? "alarm" : "early"
    return [.duration: .seconds(slept), .planned: planned.map { .seconds($0) }, .cause: cause]
  }
}
