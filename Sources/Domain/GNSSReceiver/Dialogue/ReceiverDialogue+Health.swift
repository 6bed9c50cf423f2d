import Quantities

// Regular polls of antenna status, jamming and spoofing indicators, unless the family reports them unasked.
extension ReceiverDialogue {
  /// Time from the start of the running phase to the first poll.
  static let firstHealth = Duration.seconds(5)
  static let healthPollInterval = Duration.seconds(600)

  /// The time of the next poll of the running receiver; nil if the family has no poll.
  func healthIsDueAt(now: Moment) -> Moment? {
    guard settings.control == .full, isConfirmed, desiredState == .awake, dialect?.health().isEmpty == false
    else {
      return nil
    }
    return max(now.after(Self.firstHealth), nextHealth)
  }

  /// Polls the indicators. The answers are separate messages; no phase waits for them.
  mutating func askHealth(now: Moment, _ actions: inout [DialogueAction]) {
    guard let commands = dialect?.health(), !commands.isEmpty, case .running(var running) = phase else {
      return
    }
    actions.append(.write(commands.flatMap(\.bytes)))
    nextHealth = now + Self.healthPollInterval
    running.healthAt = nextHealth
    phase = .running(running)
  }
}
