import Quantities

/// The aiding that a started receiver still lacks, and the time to send it.
struct AidPlan: Equatable, Sendable {
  /// Time that a hot start needs for a fix, in addition to one interval. A receiver that kept time and position gets a
  /// fix before the host's data could help. A fix held back after a wake-up is admitted within this time, too.
  static let hotStart = FixGate.longest

  /// Time and position known to the host.
  private(set) var aid: StartAid?
  /// True if the receiver has had a fix since its start.
  private(set) var hasFix = false
  private var lacksTime = false
  private var lacksPlace = false
  private var notBefore = Moment.zero
  /// Failed commands that were reported; each is reported once.
  private var complaints: [DialogueNotice] = []

  /// Starts the plan for a new start. `isBlank` is true if the receiver may have lost time and position.
  mutating func started(isBlank: Bool, interval: Duration, now: Moment) {
    hasFix = false
    lacksTime = true
    lacksPlace = true
    notBefore = isBlank ? now : now + max(Self.hotStart + interval, interval * 2 + .seconds(1))
  }

  mutating func fixed() { hasFix = true }
  mutating func learn(_ aid: StartAid) { self.aid = aid }
  mutating func toldTime() { lacksTime = false }
  mutating func toldPlace() { lacksPlace = false }

  /// The time to send aiding; nil if there is nothing to send.
  func due(now: Moment) -> Moment? {
    guard !hasFix, let aid, lacksTime && aid.time != nil || lacksPlace && aid.place != nil else { return nil }
    return max(notBefore, now.after(.zero))
  }

  /// The aiding to send at `now`; nil if nothing is missing.
  func missing(now: Moment) -> StartAid? {
    guard !hasFix, let aid else { return nil }
    let missing = StartAid(
      time: lacksTime ? aid.time?.forwarded(to: now) : nil,
      place: lacksPlace ? aid.place?.forwarded(to: now) : nil)
    return missing == StartAid() ? nil : missing
  }

  /// True once for each notice.
  mutating func mayReport(_ notice: DialogueNotice) -> Bool {
    guard complaints.count < 16, !complaints.contains(notice) else { return false }
    complaints.append(notice)
    return true
  }

  /// Clears the reported failures, because another receiver may accept the commands.
  mutating func forgetComplaints() { complaints = [] }
}
