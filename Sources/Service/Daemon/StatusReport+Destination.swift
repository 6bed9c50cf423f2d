import LocalAPI
import Quantities
import Uplink

extension StatusReport.Destination {
  /// The state of the delivery to the destination `name`; `last` is the last attempt.
  init(
    _ name: String, _ pipeline: DeliveryPipeline?, _ totals: DeliveryHistory.Totals, last: Exchange?,
    now: Moment
  ) {
    self.init(
      name: name, delivered: Int(clamping: totals.delivered),
      acknowledgedID: totals.acknowledged.map { Int(clamping: $0.rawValue) }, trouble: pipeline?.failure)
    last_success_age_s = totals.lastSuccess.map { (now - $0).inSeconds }
    last_sent_age_s = last_success_age_s
    guard let machine = pipeline?.delivery?.machine else { return }
    odd_answers = machine.unconfirmedResponses > 0 ? machine.unconfirmedResponses : nil
    if let refusal = machine.lastRefusal {
      last_answer = refusal.reason
      last_answer_age_s = machine.lastAttempt.map { (now - $0).inSeconds }
    } else if let success = totals.lastSuccess {
      last_answer = "accepted"
      last_answer_age_s = (now - success).inSeconds
    }
    next_send_in_s = machine.nextSend.map { max(($0 - now).inSeconds, 0) }
    next_in_s = next_send_in_s
    last_attempt_age_s = machine.lastAttempt.map { (now - $0).inSeconds }
    waiting_for = Self.cause(ofWaiting: machine, now: now)
    set_aside = totals.setAside > 0 ? totals.setAside : nil
    guard let last else { return }
    last_answer_detail = StatusReport.Answer(
      status: last.status, text: last.answer, duration_s: last.duration.inSeconds)
    let seconds = last.duration.inSeconds
    if machine.nextSend == .zero, last.consequence == .accepted, seconds > 0 {
      records_per_s = (Double(last.records) / seconds * 10).rounded() / 10
    }
  }

  /// The cause for which a delivery waits; nil during an attempt.
  private static func cause(ofWaiting machine: DeliveryMachine, now: Moment) -> String? {
    switch machine.phase {
    case .idle: return machine.nextSend == nil ? "records" : "interval"
    case .backingOff:
      if machine.isWithinRetryAfter(now: now) { return "retry_after" }
      return machine.lastRefusal?.kind == .unreachable ? "network" : "backoff"
    case .loading, .shortening, .committingBatchBoundary, .awaitingAcknowledgement, .posting: return nil
    }
  }
}
