import Quantities

/// The alarms that started the host after its supply was cut, and those that did not: they limit the next sleep.
public struct AlarmRecord: Equatable, Sendable {
  /// Alarms in a row that a board without dead-man timer must give before it is trusted with a long sleep.
  public static let provenAfter = 10
  /// The longest sleep until then.
  static let unproven = Duration.seconds(3600)
  /// The time before the dead-man timer by which the alarm must have come.
  static let marginOfDeadMan = Duration.seconds(600)
  /// The delay of a start up to which the alarm counts as the cause, if the board does not state the reason.
  static let longestDelay = Duration.seconds(300)

  /// Alarms in a row that started the host.
  public private(set) var proven = 0
  /// Alarms in a row that did not.
  public private(set) var missed = 0

  public init() {}

  /// Reads ``text``; nil for any other.
  public init?(text: String) {
    let words = text.split(separator: " ")
    guard words.count == 2, let proven = UInt16(words[0]), let missed = UInt16(words[1]) else { return nil }
    (self.proven, self.missed) = (Int(proven), Int(missed))
  }

  /// The stored form.
  public var text: String { "\(min(proven, Int(UInt16.max))) \(min(missed, Int(UInt16.max)))" }

  /// Notes a start after a planned sleep. Returns false if its alarm was missed.
  public mutating func note(_ waking: HostWaking) -> Bool {
    guard let planned = waking.planned else { return true }
    switch waking.reason {
    case .alarm?, .delayedAlarm?: return alarmCame()
    case .deadMan?: return alarmWasMissed()
    case nil:
      guard let slept = waking.slept else { return true }
      guard slept <= planned + Self.longestDelay else { return alarmWasMissed() }
      return waking.isAsPlanned ? alarmCame() : true
    case .button?, .supply?, .lowVoltage?, .temperature?, .armedCut?, .reboot?, .other?: return true
    }
  }

  private mutating func alarmCame() -> Bool {
    (proven, missed) = (min(proven + 1, Int(UInt16.max)), 0)
    return true
  }

  private mutating func alarmWasMissed() -> Bool {
    (proven, missed) = (0, min(missed + 1, Int(UInt16.max)))
    return false
  }

  /// The longest sleep that the record permits; nil for no limit. `deadMan` is the time of the dead-man timer, nil for none.
  public func longestSleep(deadMan: Duration?) -> Duration? {
    guard let deadMan else { return proven < Self.provenAfter ? Self.unproven : nil }
    return max(deadMan - Self.marginOfDeadMan, .zero)
  }
}
