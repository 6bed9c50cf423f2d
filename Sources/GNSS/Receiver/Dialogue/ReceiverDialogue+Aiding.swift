import Quantities

// A receiver that starts is told time and place, as long as it has no fix.
extension ReceiverDialogue {
  /// It has started or was found; what it is told once for each start is open again.
  mutating func noteNewStart(isBlank: Bool, now: Moment) {
    aidPlan.started(isBlank: isBlank, interval: interval, now: now)
  }

  /// When the running receiver is to be told; nil when nothing is to be said.
  func aidIsDueAt(now: Moment) -> Moment? {
    guard settings.control == .full, isConfirmed, dialect != nil else { return nil }
    return aidPlan.due(now: now)
  }

  mutating func learn(_ aid: StartAid, now: Moment) {
    aidPlan.learn(aid)
    guard case .running(var running) = phase, running.aiding == nil else { return }
    running.aidAt = aidIsDueAt(now: now)
    phase = .running(running)
  }

  /// One step of it, from the first command to the last reply.
  mutating func aid(now: Moment, _ actions: inout [DialogueAction]) {
    guard case .running(var running) = phase, let dialect else { return }
    defer { phase = .running(running) }
    if let aiding = running.aiding, aiding.isSent {
      for notice in running.aiding?.giveUp() ?? [] { report(notice, &actions) }
      running.aiding = nil
      // What came to be known meanwhile.
      running.aidAt = aidIsDueAt(now: now)
      return
    }
    if running.aiding == nil, let missing = aidPlan.missing(now: now) {
      running.aiding = Aiding(missing, dialect: dialect, line: line, interval: interval)
    }
    // A fix that came between two commands makes the rest needless.
    guard var aiding = running.aiding, !aidPlan.hasFix else {
      running.aiding = nil
      return
    }
    switch aiding.proceed(dialect: dialect, line: line, now: now, &actions) {
    case .time: aidPlan.toldTime()
    case .place: aidPlan.toldPlace()
    case .both:
      aidPlan.toldTime()
      aidPlan.toldPlace()
    case .preparation, nil: break
    }
    running.aiding = aiding.isFinished ? nil : aiding
    if aiding.isFinished { running.aidAt = aidIsDueAt(now: now) }
  }

  /// A reply to what it was told, if it is one.
  mutating func noteAiding(_ answer: ReceiverAnswer, now: Moment, _ actions: inout [DialogueAction]) {
    guard case .running(var running) = phase, var aiding = running.aiding else { return }
    let notice = aiding.take(answer)
    running.aiding = aiding.isFinished ? nil : aiding
    if aiding.isFinished { running.aidAt = aidIsDueAt(now: now) }
    phase = .running(running)
    if let notice { report(notice, &actions) }
  }

  private mutating func report(_ notice: DialogueNotice, _ actions: inout [DialogueAction]) {
    if aidPlan.mayReport(notice) { actions.append(.report(notice)) }
  }
}
