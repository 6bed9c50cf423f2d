import Quantities

/// What is still to be told to a receiver that has started, and when.
struct AidPlan: Equatable, Sendable {
  /// A start that kept time and place comes to a fix by itself within this time and an interval, better than with
  /// what the host knows; and a fix that is held back after a wake is admitted by then.
  static let hotStart = FixGate.longest

  /// What the host knows.
  private(set) var aid: StartAid?
  /// It has had a fix since its start.
  private(set) var hasFix = false
  private var lacksTime = false
  private var lacksPlace = false
  private var notBefore = Moment.zero
  /// What was said of commands that failed; each is said once.
  private var complaints: [DialogueNotice] = []

  /// It has started: `isBlank` when it may have lost what it knew.
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

  /// When to tell it; nil when there is nothing to tell.
  func due(now: Moment) -> Moment? {
    guard !hasFix, let aid, lacksTime && aid.time != nil || lacksPlace && aid.place != nil else { return nil }
    return max(notBefore, now.after(.zero))
  }

  /// What to tell it at `now`.
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

  /// Another receiver may take what this one did not.
  mutating func forgetComplaints() { complaints = [] }
}
