import History
import LocalAPI
import Quantities

extension StatusText {
  /// Age in seconds up to which data counts as current: one epoch per second, and some buffered ones.
  private static let present = 10.0

  /// Returns the row `fix`: the fix and the satellites.
  static func describe(_ reception: StatusReport.Reception, of receiver: StatusReport.Receiver? = nil)
    -> String
  {
    guard let fix = reception.fix else { return withoutEpoch(receiver) + satellites(reception) }
    let isAsleep = receiver?.state == "asleep"
    let age = reception.epoch_age_s ?? 0
    if let lost = reception.no_fix_s {
      let pause = isAsleep ? ", receiver asleep" : age > present ? ", last epoch \(duration(age)) ago" : ""
      return "no fix for \(duration(lost))\(satellites(reception))\(pause)"
    }
    let used = reception.satellites_used.map { ", \(counted($0, "satellite")) used" } ?? ""
    return fix + used + (age > present ? ", \(duration(age)) ago" : "") + satellites(reception)
  }

  /// Describes what has arrived before the first epoch.
  private static func withoutEpoch(_ receiver: StatusReport.Receiver?) -> String {
    let ignored = receiver?.ignoredInputs ?? IgnoredInputs()
    guard let receiver, receiver.valid_frames > 0 || !ignored.isEmpty else {
      let errors = receiver.map(\.checksum_errors).flatMap { $0 > 0 ? $0 : nil }
      return "no valid data from the receiver yet\(errors.map { ", \(counted($0, "checksum error"))" } ?? "")"
    }
    let valid =
      receiver.gpsd == nil
      ? counted(receiver.valid_frames, "valid frame") : "\(counted(receiver.valid_frames, "report")) of gpsd"
    return "no epoch yet, \(valid)\(ignored.isEmpty ? "" : "; ignored: \(ignored.words)")"
  }

  private static func satellites(_ reception: StatusReport.Reception) -> String {
    guard let received = reception.satellites_received else {
      // Without a fix it matters if any satellites are received.
      return reception.no_fix_s == nil
        ? "" : "; satellites unknown, query them with outrider status --sky"
    }
    let strongest =
      reception.strongest_dBHz.map { ", strongest \($0.rounded().text(decimals: 0)) dBHz" } ?? ""
    let age = reception.satellites_age_s ?? 0
    return ", \(counted(received, "satellite")) received\(strongest)"
      + (age > present ? " (satellites as of \(duration(age)) ago)" : "")
  }

  /// Returns the row `motion`.
  static func describe(_ motion: StatusReport.Motion) -> String {
    guard let states = motion.states else {
      return motion.moving ? "moving, by position" : "stationary, by position"
    }
    guard !states.isEmpty else {
      return motion.moving ? "moving, motion state not yet known" : "not yet known"
    }
    let source = motion.source.map { ", by \($0)" } ?? ""
    let confidence = motion.confidence.map { " (\($0) confidence\(source))" } ?? ""
    return states.joined(separator: ", ") + confidence
  }

  /// Returns the row `trip`.
  static func describe(_ trip: StatusReport.Trip, _ units: UnitSystem) -> String {
    var text = trip.mode
    if let length = trip.duration_s { text += ", \(duration(length))" }
    text += ", \(units.distance(trip.distance_m))"
    if let start = trip.start {
      text += ", since \(Timestamp(iso8601: start).map(WallClock().text) ?? start)"
    }
    return text + (trip.manual ? ", started by hand" : ", started automatically")
  }

  /// Returns the last success, the last response and the next attempt of a destination.
  static func sending(_ destination: StatusReport.Destination) -> String {
    var parts: [String] = []
    if let age = destination.last_success_age_s { parts.append("last sent \(duration(age)) ago") }
    if let answer = destination.last_answer, answer != "accepted" {
      let age = destination.last_answer_age_s.map { " \(duration($0)) ago" } ?? ""
      parts.append("last response\(age): \(answer)")
    }
    if let next = destination.next_send_in_s {
      parts.append(next >= 1 ? "next in \(duration(next))" : "sending now")
    }
    return parts.joined(separator: ", ")
  }

  /// Returns the records of the run by kind.
  static func describe(records: [String: Int]) -> String {
    ["location", "visit", "trip", "action", "event"].compactMap { kind in
      records[kind].map { counted($0, kind) }
    }.joined(separator: ", ")
  }
}
