import GNSSProtocol
import LocalAPI
import Quantities
import Records
import Tracking
import Uplink

// Sections of the status.
extension Logger {
  /// The status of one destination.
  func destinationReport(_ name: String, now: Moment) -> StatusReport.Destination {
    let pipeline = deliveries[name]
    let totals = deliveryTotals[name] ?? DeliveryTotals()
    var destination = StatusReport.Destination(
      name: name, delivered: Int(clamping: totals.delivered),
      acknowledgedID: totals.acknowledged.map { Int(clamping: $0.rawValue) }, trouble: pipeline?.trouble)
    destination.new_through_id = settingsState.newcomers[name].map { Int(clamping: $0) }
    destination.last_success_age_s = totals.lastSuccess.map { (now - $0).inSeconds }
    guard let machine = pipeline?.delivery?.machine else { return destination }
    destination.odd_answers = machine.unconfirmedResponses > 0 ? machine.unconfirmedResponses : nil
    if let refusal = machine.lastRefusal {
      destination.last_answer = refusal.reason
      destination.last_answer_age_s = machine.lastAttempt.map { (now - $0).inSeconds }
    } else if let success = totals.lastSuccess {
      destination.last_answer = "accepted"
      destination.last_answer_age_s = (now - success).inSeconds
    }
    destination.next_send_in_s = machine.nextSend.map { max(($0 - now).inSeconds, 0) }
    return destination
  }

  /// The status of reception; nil without a receiver.
  func receptionReport(now: Moment) -> StatusReport.Reception? {
    guard line != nil || gpsd != nil else { return nil }
    var report = StatusReport.Reception()
    if let last = facts.fixes.last {
      report.fix = "\(last.kind.word)"
      report.epoch_age_s = max((now - last.moment).inSeconds, 0)
      report.no_fix_s = facts.fixes.timeWithoutFix(now: now)?.inSeconds
      report.satellites_used = last.kind == .none ? nil : last.used
      report.satellites_in_view = last.seen
    }
    if let satellites = line?.satellites {
      report.satellites_received = satellites.received
      report.strongest_dBHz = satellites.strongest
      report.satellites_age_s = max((now - satellites.moment).inSeconds, 0)
    }
    return report
  }

  /// The motion by the accelerometer, or without one by the fixes.
  func motionReport(now: Moment) -> StatusReport.Motion? {
    if let latest = sensors.detectedMotion {
      return StatusReport.Motion(latest.states, latest.confidence, moving: tracker.isMoving)
    }
    if let derived = tracker.motionBySpeed(at: now), !derived.states.isEmpty {
      var report = StatusReport.Motion(derived.states, derived.confidence, moving: tracker.isMoving)
      report.source = "speed"
      return report
    }
    return facts.fixes.lastFix == nil ? nil : StatusReport.Motion(moving: tracker.isMoving)
  }

  /// The running trip; nil if there is none.
  func tripReport(now: Moment) -> StatusReport.Trip? {
    guard let trip = tracker.runningTrip else { return nil }
    var report = StatusReport.Trip(
      mode: trip.mode.rawValue, manual: trip.isManual, distance_m: Double(trip.distanceMillimetres) / 1000)
    report.start = trip.start.time?.iso8601()
    report.duration_s = tripDuration(trip, now: now)?.inSeconds
    return report
  }

  /// The duration of a trip; nil while the date of its start or the present date is unknown.
  func tripDuration(_ trip: RunningTrip, now: Moment) -> Duration? {
    guard let start = trip.start.time, let time = tracker.clock.timestamp(at: now) else { return nil }
    return max(time - start, .zero)
  }

  /// Queries the receiver once for its satellites; the status has the result.
  public func askForSatellites() -> ControlOutcome {
    guard configuration.isTracking else {
      return .refused(Problem(409, "tracking is switched off; switch it on with outrider start"))
    }
    guard let line else {
      return .refused(
        Problem(409, "a receiver shared through gpsd cannot be queried; use cgps to see the satellites"))
    }
    guard line.askForSatellites() else {
      return .refused(Problem(409, "the receiver cannot be queried: \(line.path) is not open; retry later"))
    }
    guard let obstacle = line.satelliteObstacle else { return .done(#"{"asked": true}"#) }
    return .done(#"{"asked": true, "hint": "\#(obstacle.words)"}"#)
  }
}

extension StatusReport.Motion {
  fileprivate init(_ states: MotionStates, _ confidence: MotionConfidence, moving: Bool) {
    self.init(moving: moving)
    self.states = MotionStates.words.filter { states.contains($0.state) }.map { "\($0.word)" }
    self.confidence = "\(confidence.word)"
  }
}
