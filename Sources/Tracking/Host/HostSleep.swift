import Quantities
import Records
import Settings

/// A time that a host is to spend down.
public struct HostSleep: Equatable, Sendable {
  public var depth: HostDepth
  public var since: Moment
  /// When it is woken, so that it is up for the need.
  public var wake: Moment
  public var need: HostNeed

  public init(_ depth: HostDepth, since: Moment, wake: Moment, need: HostNeed) {
    self.depth = depth
    self.since = since
    self.wake = wake
    self.need = need
  }

  /// From the decision to the alarm.
  public var planned: Duration { wake - since }

  /// For people.
  public var words: String {
    "\(depth.rawValue) for \(planned.wholeSeconds) s; wake-up for \(need.purpose.words)"
  }
}

/// A host that is up again.
public struct HostWaking: Equatable, Sendable {
  /// An alarm that rings this much before its time is none: the host was woken by something else.
  static let tolerance = Duration.seconds(30)

  /// How long it was down; nil where no clock tells.
  public var slept: Duration?
  /// Nil: nobody here put it down.
  public var planned: Duration?

  public init(slept: Duration?, planned: Duration?) {
    self.slept = slept
    self.planned = planned
  }

  /// Woken by the alarm. Without a clock nobody knows.
  public var isAsPlanned: Bool {
    guard let slept, let planned else { return false }
    return slept + Self.tolerance >= planned
  }

  /// The evidence of its event.
  public var fields: EventFields {
    guard let slept else { return [:] }
    let cause: EventValue = planned == nil ? "other_program" : isAsPlanned ? "alarm" : "early"
    return [.duration: .seconds(slept), .planned: planned.map { .seconds($0) }, .cause: cause]
  }
}
