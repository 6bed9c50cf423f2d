import Quantities

/// Regular polls of antenna status, jamming and spoofing indicators, unless the family reports them unasked.
struct HealthPolls: Sendable {
  /// Time from the start of the running phase to the first poll.
  static let firstPoll = Duration.seconds(5)
  static let interval = Duration.seconds(600)

  private var next = Moment.zero

  /// The time of the next poll of the running receiver; nil if there is none.
  func due(_ link: ReceiverLink, _ power: PowerRequest, now: Moment) -> Moment? {
    guard power.isAwake, link.controlDialect?.health().isEmpty == false else { return nil }
    return max(now.after(Self.firstPoll), next)
  }

  /// Polls the indicators and returns the time of the next poll. The answers are separate messages; no phase
  /// waits for them.
  mutating func poll(
    _ dialect: (any Dialect)?, now: Moment, _ actions: inout [DialogueAction]
  ) -> Moment? {
    guard let commands = dialect?.health(), !commands.isEmpty else { return nil }
    actions.append(.write(commands.flatMap(\.bytes)))
    next = now + Self.interval
    return next
  }
}
