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
  /// The reason that a power manager states; nil without one.
  public var reason: StartReason?

  public init(slept: Duration?, planned: Duration?, reason: StartReason? = nil) {
    self.slept = slept
    self.planned = planned
    self.reason = reason
  }

  /// True if the alarm caused the wake-up; false if no clock provides the time asleep.
  public var isAsPlanned: Bool {
    if let reason { return reason == .alarm || reason == .delayedAlarm }
    guard let slept, let planned else { return false }
    return slept + Self.tolerance >= planned
  }

  /// True if nobody came: a timer started the host, or motion, where that is wired to the switch input of the board.
  func isUnattended(wakesOnMotion: Bool) -> Bool {
    switch reason {
    case .deadMan?: true
    case .button?: wakesOnMotion
    case nil, .alarm?, .delayedAlarm?, .supply?, .lowVoltage?, .temperature?, .armedCut?, .reboot?, .other?:
      isAsPlanned
    }
  }

  /// How the logger continues after the wake-up, on a host that has been up for `uptime`; nil if somebody may have come, or if
  /// the time asleep is unknown.
  public func resumption(wakesOnMotion: Bool, uptime: Duration) -> Resumption? {
    // Without a clock, only the alarm tells how long it was.
    let alarm = reason == .alarm ? planned : nil
    guard isUnattended(wakesOnMotion: wakesOnMotion), let time = slept ?? alarm else { return nil }
    return Resumption(pause: time + uptime, checksNow: !isAsPlanned)
  }

  /// The fields of the wake-up event.
  public var fields: EventFields {
    let cause = reason?.word ?? (planned == nil ? "other_program" : isAsPlanned ? "alarm" : "early")
    guard let slept else { return reason.map { [.cause: .text($0.word)] } ?? [:] }
    return [.duration: .seconds(slept), .planned: planned.map { .seconds($0) }, .cause: .text(cause)]
  }
}
