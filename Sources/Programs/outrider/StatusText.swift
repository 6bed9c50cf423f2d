import Devices
import LocalAPI
import Provisioning
import Records
import Settings
import Store

/// Renders the status as text, one row per subject.
enum StatusText {
  /// The relation of destination names to configuration and log.
  struct DestinationNames {
    /// The configured names; nil if unknown.
    var configured: Set<String>?
    /// The new destinations that have not received the earlier records yet.
    var new: Set<String> = []
  }

  /// Returns the rows. `logger` says if the logger is running. The position in `log` must already be free of privacy zones.
  /// `configuration` is the path of the file, shown if it is the one beside the log.
  static func lines(
    logger: String, running: StatusReport?, log: LogStatus?, directory: String, isTracking: Bool = true,
    destinations: DestinationNames = DestinationNames(), units: UnitSystem = .metric,
    overridden: [StatusReport.OverriddenKey] = [], configuration: String? = nil
  ) -> [String] {
    var rows = [("logger", logger)]
    if configuration == ConfigurationLocation.lasting {
      rows.append(("configuration", "\(ConfigurationLocation.lasting), because /etc keeps none"))
    }
    if !isTracking { rows.append(("tracking", "off; switch it on with outrider start")) }
    for key in overridden {
      rows.append(
        ("settings", "\(key.key): the value of the file has no effect; restore it with \(key.give_back)"))
    }
    if let running {
      if let trial = running.settings_trial { rows.append(Self.row(trial)) }
      if let remote = running.remote { rows += Self.rows(remote) }
      if let receiver = running.receiver { rows.append(("receiver", describe(receiver))) }
      if let reception = running.reception, isTracking {
        rows.append(("fix", describe(reception, of: running.receiver)))
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
      rows.append(("clock", describe(clock: running.clock?.quality)))
      if let rejected = running.rejected, !rejected.isEmpty {
        let counts = rejected.sorted { $0.key < $1.key }.map { reason, count in
          let last = running.rejected_last?[reason].map { " (last \($0))" } ?? ""
          return "\(reason) \(count)\(last)"
        }
        rows.append(("rejected fixes", counts.joined(separator: ", ")))
      }
    }
    // A running logger knows the privacy zones; the newest location of the log may be in one.
    let position = running.map(\.position) ?? log?.newestLocation.flatMap { StatusReport.Position($0.record) }
    let unknown = isTracking ? "none yet" : "hidden while tracking is off"
    let showsKind = running?.reception == nil
    rows.append(("position", position.flatMap { describe($0, units, showsKind: showsKind) } ?? unknown))
    if let records = running?.records, !records.isEmpty {
      rows.append(("records", "\(describe(records: records)) since the start"))
    }
    if let log {
      var text = "\(counted(log.count, "record")), \(log.bytes / 1024) KiB in \(directory)"
      if log.undated > 0 { text += ", \(log.undated) undated" }
      if log.missing > 0 { text += ", \(log.missing) lost to damage" }
      if let unchecked = running?.log.unchecked { text += ", \(unchecked) not yet checked since the start" }
      if let reason = running?.log.not_shrunk { text += "; the file is larger than storage.limit: \(reason)" }
      rows.append(("log", text))
    }
    if let storage = running?.storage.flatMap(StorageText.summary) { rows.append(("storage", storage)) }
    if let trouble = running?.log.trouble { rows.append(("log fault", trouble)) }
    if let trouble = running?.settings_trouble { rows.append(("settings", "not saved: \(trouble)")) }
    for destination in log?.destinations ?? [] {
      let sending = running?.destinations.first { $0.name == destination.name }.map(Self.sending) ?? ""
      let parts = [waiting(destination, destinations), sending].filter { !$0.isEmpty }
      rows.append(("destination \(destination.name)", parts.joined(separator: ", ")))
    }
    for destination in running?.destinations ?? [] {
      if let unconfirmed = destination.odd_answers {
        rows.append(
          (
            "destination \(destination.name)",
            "\(counted(unconfirmed, "unexpected response")) accepted because of accept_2xx; the journal has the first"
          ))
      }
      guard let trouble = destination.trouble else { continue }
      rows.append(("destination \(destination.name)", "failing: \(trouble)"))
    }
    if let notifications = running?.notifications {
      var text = "\(notifications.handed_over) delivered"
      if notifications.failed > 0 { text += ", \(notifications.failed) failed" }
      let held = notifications.hooks?.reduce(0) { $0 + ($1.held ?? 0) } ?? 0
      if held > 0 { text += ", \(held) held back" }
      rows.append(("notifications", notifications.trouble.map { "\(text); failing: \($0)" } ?? text))
    }
    if let heartbeat = running?.heartbeat {
      let age = heartbeat.last_success_age_s.map { "last \(duration($0)) ago" } ?? "none yet"
      let state = heartbeat.healthy ? "" : "; reports a fault"
      rows.append(("sign of life", age + state + (heartbeat.trouble.map { "; failing: \($0)" } ?? "")))
    }
    if let gpsd = running?.share?.gpsd {
      let text = "gpsd's protocol on \(gpsd.address), \(counted(gpsd.clients, "client"))"
      rows.append(("sharing", gpsd.trouble.map { "failing: \($0)" } ?? text))
    }
    if let process = running?.process { rows += Self.rows(process) }
    if let event = log?.newestEvent, case .event(let body) = event.record.body {
      let time = event.record.time?.iso8601() ?? "undated"
      let detail = body.detail.isEmpty ? "" : ": \(body.detail)"
      rows.append(("last event", "\(time) \(body.kind.rawValue)\(detail)"))
    }
    let width = rows.map(\.0.count).max() ?? 0
    return rows.map { name, text in
      "\(name)\(String(repeating: " ", count: width - name.count + 2))\(text)"
    }
  }

  /// The longest time for which the loop did not wait, that is for which everything else had to.
  private static func rows(_ process: StatusReport.Process) -> [(String, String)] {
    guard let longest = process.longest_turn_ms else { return [] }
    let slow = process.slow_turns.map { $0 > 0 ? ", \(counted($0, "turn")) of 100 ms and more" : "" } ?? ""
    return [("loop", "longest turn \(Int(longest.rounded(.up))) ms\(slow)")]
  }

  private static func waiting(_ destination: LogStatus.Destination, _ names: DestinationNames) -> String {
    if names.configured?.contains(destination.name) == false {
      return destination.queued == 0
        ? "no longer configured"
        : "no longer configured; \(counted(destination.queued, "record")) of its queue may be removed by storage.retention"
    }
    guard names.new.contains(destination.name), destination.queued > 0 else {
      return "\(destination.queued) queued"
    }
    return "\(destination.queued) queued, including records from before the destination was added; "
      + "discard them with outrider drop \(Shown.argument(destination.name))"
  }

  private static func describe(_ receiver: StatusReport.Receiver) -> String {
    var text = connection(receiver)
    if let talkers = receiver.talkers {
      text += "; two talkers send positions: \(talkers.used) is used, \(talkers.ignored) is ignored"
    }
    let dropped = receiver.ignoredInputs.droppedLines
    if !dropped.isEmpty { text += "; dropped: \(dropped.words)" }
    guard let trouble = receiver.trouble else { return text }
    let prefix = "\(receiver.port): "
    return "\(text); \(trouble.hasPrefix(prefix) ? trouble.dropFirst(prefix.count) : trouble[...])"
  }

  private static func connection(_ receiver: StatusReport.Receiver) -> String {
    if let gpsd = receiver.gpsd {
      let name = "gpsd at \(receiver.port)\(gpsd.release.map { ", version \($0)" } ?? "")"
      guard receiver.is_open else { return "\(name), not connected" }
      guard let path = gpsd.device else { return "\(name), no receiver reported yet" }
      var device = GPSDDevice(path: path)
      device.driver = gpsd.driver ?? ""
      return "\(device) through \(name), \(receiver.valid_frames) reports"
    }
    guard receiver.is_open else { return "\(receiver.port), not open" }
    var text = receiver.port
    if let speed = receiver.speed_baud { text += " at \(speed) baud" }
    text +=
      receiver.valid_frames > 0
      ? ", \(receiver.valid_frames) frames, \(counted(receiver.checksum_errors, "checksum error"))"
      : ", no valid frame yet"
    if let state = receiver.state { text += ", \(state)" }
    // `unknown` is the family of a module that does not identify itself; it is only read.
    let family = receiver.family == "unknown" ? nil : receiver.family
    let identity = [receiver.module, receiver.firmware, family].compactMap { $0 }
    guard identity.isEmpty else { return "\(text) (\(identity.joined(separator: ", ")))" }
    return receiver.family == nil ? text : "\(text); unidentified module, read only"
  }

  private static func describe(
    _ position: StatusReport.Position, _ units: UnitSystem, showsKind: Bool
  ) -> String? {
    guard let latitude = position.latitude, let longitude = position.longitude else { return nil }
    var text = "\(latitude), \(longitude)"
    if showsKind, let fix = position.fix { text += " (\(fix))" }
    if let accuracy = position.horizontal_accuracy_m { text += " ±\(units.short(accuracy))" }
    if let altitude = position.altitude_m { text += ", altitude \(units.short(altitude))" }
    if let speed = position.speed_mps { text += ", \(units.speed(speed))" }
    if let time = position.time { text += " at \(time)" }
    if let age = position.age_s { text += ", \(duration(age)) ago" }
    return text
  }

  /// Returns a count with its noun, whose plural ends with s.
  static func counted(_ count: some BinaryInteger, _ noun: String) -> String {
    "\(count) \(noun)\(count == 1 ? "" : "s")"
  }

  /// Returns a duration with one unit, rounded down: `90 s`, `12 min`, `3 h`, `5 d`.
  static func duration(_ seconds: Double) -> String {
    let whole = Int(clamping: Int64(min(max(seconds, 0), 1e12)))
    if whole < 120 { return "\(whole) s" }
    if whole < 7200 { return "\(whole / 60) min" }
    return whole < 172_800 ? "\(whole / 3600) h" : "\(whole / 86_400) d"
  }
}
