import Devices
import LocalAPI
import Records
import Settings
import Store

/// The status on one screen, for people.
enum StatusText {
  /// What the names of destinations mean to the log.
  struct DestinationNames {
    /// Nil where that is not known.
    var configured: Set<String>?
    /// New to the log, and not done with what was recorded before they came.
    var new: Set<String> = []
  }

  /// `logger` says whether it runs; the place in `log` may be told.
  static func lines(
    logger: String, running: StatusReport?, log: LogStatus?, directory: String, isTracking: Bool = true,
    destinations: DestinationNames = DestinationNames(), units: UnitSystem = .metric,
    overridden: [StatusReport.OverriddenKey] = []
  ) -> [String] {
    var rows = [("logger", logger)]
    if !isTracking { rows.append(("tracking", "switched off; outrider start switches it on")) }
    for key in overridden {
      rows.append(
        ("settings", "\(key.key) of the file has no effect; \(key.give_back) gives it back to the file"))
    }
    if let running {
      if let remote = running.remote { rows += Self.rows(remote) }
      if let receiver = running.receiver { rows.append(("receiver", describe(receiver))) }
      if let reception = running.reception, isTracking {
        rows.append(("fix", describe(reception, isAsleep: running.receiver?.state == "asleep")))
      }
      if let motion = running.motion { rows.append(("motion", describe(motion))) }
      if let trip = running.trip { rows.append(("trip", describe(trip, units))) }
      if let battery = running.battery { rows += Self.rows(battery) }
      if let power = running.power { rows += Self.rows(power) }
      if let network = running.network { rows.append(("network", describe(network))) }
      if let host = running.host { rows.append(("host", describe(host))) }
      if let accelerometer = running.accelerometer {
        rows.append(("accelerometer", describe(accelerometer)))
      }
      if let energy = running.energy { rows.append(("energy", EnergyText.summary(energy))) }
      rows.append(("clock", running.clock?.quality == "receiver" ? "set by the receiver" : "unknown"))
      if let rejected = running.rejected, !rejected.isEmpty {
        let counts = rejected.sorted { $0.key < $1.key }.map { reason, count in
          let last = running.rejected_last?[reason].map { " (last \($0))" } ?? ""
          return "\(reason) \(count)\(last)"
        }
        rows.append(("not kept", counts.joined(separator: ", ")))
      }
    }
    // A logger that runs knows better what may be told: the newest place of the log may lie in a private zone by now.
    let position = running.map(\.position) ?? log?.newestLocation.flatMap { StatusReport.Position($0.record) }
    let unknown = isTracking ? "none yet" : "not told while tracking is switched off"
    let showsKind = running?.reception == nil
    rows.append(("position", position.map { describe($0, units, showsKind: showsKind) } ?? unknown))
    if let records = running?.records, !records.isEmpty {
      rows.append(("records", "\(describe(records: records)) since the start"))
    }
    if let log {
      var text = "\(counted(log.count, "record")), \(log.bytes / 1024) KiB in \(directory)"
      if log.undated > 0 { text += ", \(log.undated) without a date" }
      if log.missing > 0 { text += ", \(log.missing) lost to damage" }
      rows.append(("log", text))
    }
    if let trouble = running?.log.trouble { rows.append(("log trouble", trouble)) }
    if let trouble = running?.settings_trouble { rows.append(("settings", "not kept: \(trouble)")) }
    for destination in log?.destinations ?? [] {
      let sending = running?.destinations.first { $0.name == destination.name }.map(Self.sending) ?? ""
      let parts = [waiting(destination, destinations), sending].filter { !$0.isEmpty }
      rows.append(("to \(destination.name)", parts.joined(separator: ", ")))
    }
    for destination in running?.destinations ?? [] {
      if let odd = destination.odd_answers {
        rows.append(
          ("to \(destination.name)", "\(odd) odd answers were taken for success; the journal has the first"))
      }
      guard let trouble = destination.trouble else { continue }
      rows.append(("to \(destination.name)", "failing: \(trouble)"))
    }
    if let notifications = running?.notifications {
      var text = "\(notifications.handed_over) handed over"
      if notifications.failed > 0 { text += ", \(notifications.failed) not" }
      rows.append(("notifications", notifications.trouble.map { "\(text); failing: \($0)" } ?? text))
    }
    if let event = log?.newestEvent, case .event(let body) = event.record.body {
      let time = event.record.time?.iso8601() ?? "undated"
      rows.append(("last event", "\(time) \(body.kind.rawValue) \(body.detail)"))
    }
    let width = rows.map(\.0.count).max() ?? 0
    return rows.map { name, text in
      "\(name)\(String(repeating: " ", count: width - name.count + 2))\(text)"
    }
  }

  private static func waiting(_ destination: LogStatus.Destination, _ names: DestinationNames) -> String {
    if names.configured?.contains(destination.name) == false {
      return destination.queued == 0
        ? "not configured any more"
        : "not configured any more; \(destination.queued) that waited are in the log and not kept for it"
    }
    guard names.new.contains(destination.name), destination.queued > 0 else {
      return "\(destination.queued) waiting"
    }
    return "\(destination.queued) waiting, also what was recorded before it came to this log; "
      + "outrider drop \(Shown.argument(destination.name)) gives them up"
  }

  private static func describe(_ receiver: StatusReport.Receiver) -> String {
    if let gpsd = receiver.gpsd {
      let name = "gpsd at \(receiver.port)\(gpsd.release.map { ", version \($0)" } ?? "")"
      guard receiver.is_open else { return "\(name), not connected" }
      guard let path = gpsd.device else { return "\(name), no receiver heard yet" }
      var device = GPSDDevice(path: path)
      device.driver = gpsd.driver ?? ""
      return "\(device) through \(name), \(receiver.valid_frames) reports"
    }
    guard receiver.is_open else { return "\(receiver.port) cannot be opened" }
    var text = receiver.port
    if let speed = receiver.speed_baud { text += " at \(speed) baud" }
    text +=
      receiver.valid_frames > 0
      ? ", \(receiver.valid_frames) frames, \(receiver.checksum_errors) damaged" : ", nothing understood yet"
    if let state = receiver.state { text += ", \(state)" }
    // The family of a module that does not name itself: it is only read.
    let family = receiver.family == "unknown" ? nil : receiver.family
    let identity = [receiver.module, receiver.firmware, family].compactMap { $0 }
    guard identity.isEmpty else { return "\(text) (\(identity.joined(separator: ", ")))" }
    return receiver.family == nil ? text : "\(text); the module does not name itself and is only read"
  }

  private static func describe(
    _ position: StatusReport.Position, _ units: UnitSystem, showsKind: Bool
  ) -> String {
    var text = "\(position.latitude), \(position.longitude)"
    if showsKind { text += " (\(position.fix))" }
    if let accuracy = position.horizontal_accuracy_m { text += " ±\(units.short(accuracy))" }
    if let altitude = position.altitude_m { text += ", altitude \(units.short(altitude))" }
    if let speed = position.speed_mps { text += ", \(units.speed(speed))" }
    if let time = position.time { text += " at \(time)" }
    if let age = position.age_s { text += ", \(duration(age)) ago" }
    return text
  }

  /// With its noun, which takes an s.
  static func counted(_ count: some BinaryInteger, _ noun: String) -> String {
    "\(count) \(noun)\(count == 1 ? "" : "s")"
  }

  static func duration(_ seconds: Double) -> String {
    let whole = Int(clamping: Int64(min(max(seconds, 0), 1e12)))
    if whole < 120 { return "\(whole) s" }
    if whole < 7200 { return "\(whole / 60) min" }
    return whole < 172_800 ? "\(whole / 3600) h" : "\(whole / 86_400) d"
  }
}
