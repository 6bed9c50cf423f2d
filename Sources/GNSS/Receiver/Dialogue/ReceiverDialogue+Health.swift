import Quantities

// Antenna, jamming and spoofing are asked for now and then, where the family does not tell of them by itself.
extension ReceiverDialogue {
  /// From the start of its running to the first question.
  static let firstHealth = Duration.seconds(5)
  static let healthPace = Duration.seconds(600)

  /// When the running receiver is to be asked; nil when it never is.
  func healthIsDueAt(now: Moment) -> Moment? {
    guard settings.control == .full, isConfirmed, demand == .awake, dialect?.health().isEmpty == false else {
      return nil
    }
    return max(now.after(Self.firstHealth), nextHealth)
  }

  /// The answers are messages of their own, which nobody waits for.
  mutating func askHealth(now: Moment, _ actions: inout [DialogueAction]) {
    guard let commands = dialect?.health(), !commands.isEmpty, case .running(var running) = phase else {
      return
    }
    actions.append(.write(commands.flatMap(\.bytes)))
    nextHealth = now + Self.healthPace
    running.healthAt = nextHealth
    phase = .running(running)
  }
}
