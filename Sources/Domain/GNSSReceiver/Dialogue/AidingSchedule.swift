import Quantities

/// The aiding that a started receiver still lacks, and the time to send it.
struct AidingSchedule: Equatable, Sendable {
  /// Time that a hot start needs for a fix, in addition to one interval. A receiver that kept time and position gets a
  /// fix before the host's data could help. A fix held back after a wake-up is admitted within this time, too.
  static let hotStart = FixGate.longest

  /// Time and position known to the host.
  private(set) var aid: StartAid?
  /// True if the receiver has had a fix since its start.
  private(set) var hasFix = false
  private var lacksTime = false
  private var lacksPosition = false
  private var notBefore = Moment.zero
  /// Failed commands that were reported; each is reported once.
  private var reportedFailures: [DialogueNotice] = []

  /// Starts the plan for a new start. `isBlank` is true if the receiver may have lost time and position.
  mutating func started(isBlank: Bool, interval: Duration, now: Moment) {
    hasFix = false
    lacksTime = true
    lacksPosition = true
    notBefore = isBlank ? now : now + max(Self.hotStart + interval, interval * 2 + .seconds(1))
  }

  mutating func fixed() { hasFix = true }
  mutating func learn(_ aid: StartAid) { self.aid = aid }
  mutating func recordSentTime() { lacksTime = false }
  mutating func recordSentPosition() { lacksPosition = false }

  /// The time to send aiding; nil if there is nothing to send.
  func due(now: Moment) -> Moment? {
    guard !hasFix, let aid, lacksTime && aid.time != nil || lacksPosition && aid.knownPosition != nil else {
      return nil
    }
    return max(notBefore, now.after(.zero))
  }

  /// The aiding to send at `now`; nil if nothing is missing.
  func missing(now: Moment) -> StartAid? {
    guard !hasFix, let aid else { return nil }
    let missing = StartAid(
      time: lacksTime ? aid.time?.forwarded(to: now) : nil,
      knownPosition: lacksPosition ? aid.knownPosition?.forwarded(to: now) : nil)
    return missing == StartAid() ? nil : missing
  }

  /// True once for each notice.
  mutating func mayReport(_ notice: DialogueNotice) -> Bool {
    guard reportedFailures.count < 16, !reportedFailures.contains(notice) else { return false }
    reportedFailures.append(notice)
    return true
  }

  /// Clears the reported failures, because another receiver may accept the commands.
  mutating func forgetReportedFailures() { reportedFailures = [] }
}
