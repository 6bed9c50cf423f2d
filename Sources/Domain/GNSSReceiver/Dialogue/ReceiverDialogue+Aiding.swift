import GNSSProtocol
import Quantities

// Aiding: a receiver that starts gets time and position until it has a fix.
extension ReceiverDialogue {
  /// Marks a new start, after which aiding is due again.
  mutating func recordNewStart(isBlank: Bool, now: Moment) {
    aidingSchedule.started(isBlank: isBlank, interval: interval, now: now)
  }

  /// The time to send aiding to the running receiver; nil if there is nothing to send.
  func aidIsDueAt(now: Moment) -> Moment? {
    guard settings.control == .full, isConfirmed, dialect != nil else { return nil }
    return aidingSchedule.due(now: now)
  }

  mutating func learn(_ aid: StartAid, now: Moment) {
    aidingSchedule.learn(aid)
    guard case .running(var running) = phase, running.aiding == nil else { return }
    running.aidAt = aidIsDueAt(now: now)
    phase = .running(running)
  }

  /// Performs one step of aiding, from the first command to the last reply.
  mutating func aid(now: Moment, _ actions: inout [DialogueAction]) {
    guard case .running(var running) = phase, let dialect else { return }
    defer { phase = .running(running) }
    if let aiding = running.aiding, aiding.isSent {
      for notice in running.aiding?.giveUp() ?? [] { report(notice, &actions) }
      running.aiding = nil
      // The host may have learned more meanwhile.
      running.aidAt = aidIsDueAt(now: now)
      return
    }
    if running.aiding == nil, let missing = aidingSchedule.missing(now: now) {
      running.aiding = Aiding(missing, dialect: dialect, line: line, interval: interval)
    }
    // A fix between two commands makes the remaining aiding needless.
    guard var aiding = running.aiding, !aidingSchedule.hasFix else {
      running.aiding = nil
      return
    }
    switch aiding.proceed(dialect: dialect, line: line, now: now, &actions) {
    case .time: aidingSchedule.recordSentTime()
    case .knownPosition: aidingSchedule.recordSentPosition()
    case .both:
      aidingSchedule.recordSentTime()
      aidingSchedule.recordSentPosition()
    case .preparation, nil: break
    }
    running.aiding = aiding.isFinished ? nil : aiding
    if aiding.isFinished { running.aidAt = aidIsDueAt(now: now) }
  }

  /// Handles a reply to aiding, if `answer` is one.
  mutating func handleAidingAnswer(_ answer: ReceiverAnswer, now: Moment, _ actions: inout [DialogueAction]) {
    guard case .running(var running) = phase, var aiding = running.aiding else { return }
    let notice = aiding.take(answer)
    running.aiding = aiding.isFinished ? nil : aiding
    if aiding.isFinished { running.aidAt = aidIsDueAt(now: now) }
    phase = .running(running)
    if let notice { report(notice, &actions) }
  }

  private mutating func report(_ notice: DialogueNotice, _ actions: inout [DialogueAction]) {
    if aidingSchedule.mayReport(notice) { actions.append(.report(notice)) }
  }
}
