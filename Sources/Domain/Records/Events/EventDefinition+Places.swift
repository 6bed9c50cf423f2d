// Trips, gaps, zones, parking, and fixes without a record.

extension EventDefinition {
  static var tripStarted: Self {
    Self(
      subject: "trip", group: .trips, level: .notice, effects: .notifies, gap: .unrelated,
      meaning: "A trip started.",
      fields: [.isManual, .count, .age], value: .age
    ) { event in
      event.isSet(.isManual)
        ? "started by hand" : "started; \(event.counted(.count, "buffered fix", "buffered fixes")) stored"
    }
  }

  static var tripEnded: Self {
    Self(
      subject: "trip", group: .trips, level: .notice, effects: [.notifies, .isStoredWhileOff],
      gap: .unrelated,
      meaning: "A trip ended, or was too short to be one.",
      fields: [.distance, .duration, .cause, .isTrip], value: .distance
    ) { event in
      let measure = "\(event.number(.distance)) m in \(event.duration(.duration))"
      return event.isSet(.isTrip)
        ? "ended by \(event.tripEnding): \(measure)" : "discarded as too short: \(measure)"
    }
  }

  static var gap: Self {
    Self(
      subject: "gap", group: .receiver, level: .notice, effects: [], gap: .unrelated,
      meaning:
        "No fix, or no location across a restart, for a long time; the device is elsewhere afterwards.",
      fields: [.duration, .distance, .missing], value: .duration,
      advice: "`outrider why` gives the reason."
    ) { event in
      let location = event.has(.distance) ? "\(event.number(.distance)) m from the last one" : "now elsewhere"
      return "no \(event.text(.missing)) for \(event.duration(.duration)); \(location)"
    }
  }

  static var zoneEntered: Self {
    Self(
      subject: "zone entered", group: .zones, level: .notice, effects: [.notifies, .asksForPosition],
      gap: .unrelated,
      meaning: "The device entered a zone.",
      fields: [.zone, .cause, .isInferred, .latitude, .longitude, .accuracy]
    ) { event in event.zone }
  }

  static var zoneLeft: Self {
    Self(
      subject: "zone left", group: .zones, level: .notice, effects: [.notifies, .asksForPosition],
      gap: .unrelated,
      meaning: "The device left a zone.",
      fields: [.zone, .cause, .isInferred, .latitude, .longitude, .accuracy]
    ) { event in event.zone }
  }

  static var zoneDwelt: Self {
    Self(
      subject: "zone dwell", group: .zones, level: .notice, effects: [.notifies, .asksForPosition],
      gap: .unrelated,
      meaning: "The device dwelt in a zone.",
      fields: [.zone, .duration], value: .duration
    ) { event in
      event.has(.duration)
        ? "\(event.text(.zone)) (after \(event.duration(.duration)))" : event.text(.zone)
    }
  }

  static var parkingMoved: Self {
    Self(
      subject: "parking", group: .motion, level: .warning, effects: [.notifies, .asksForPosition],
      gap: .unrelated,
      meaning: "The parked device moved.",
      fields: [.distance, .cause], value: .distance,
      advice: "If nobody moved it, suspect theft."
    ) { event in
      if event.has(.distance) { return "\(event.number(.distance)) m from the parking position" }
      return event.text(.cause) == "no_fix" ? "moves, without a fix" : "left the parking position"
    }
  }

  static var heartbeat: Self {
    Self(
      subject: "heartbeat", group: .motion, level: .debug, effects: [], gap: .unrelated,
      meaning: "Nothing was recorded for the longest interval allowed.",
      fields: [.age], value: .age
    ) { event in
      event.has(.age)
        ? "no new location; the last one is \(event.duration(.age)) old" : "no location yet"
    }
  }

  static var fixesRejected: Self {
    Self(
      subject: "rejected fixes", group: .receiver, level: .debug, effects: [],
      gap: .cause("fixes were rejected"),
      meaning: "Fixes failed validation, by reason.",
      fields: [.count, .rejections, .lastValues], value: .count,
      advice: "Check the antenna if the reason is no_fix or accuracy."
    ) { event in event.rejections }
  }

  static var fixesLeftOut: Self {
    Self(
      subject: "dropped fixes", group: .receiver, level: .debug, effects: [],
      gap: .cause("recording rules dropped fixes"),
      meaning: "Recording rules dropped fixes, reported hourly.",
      fields: [.count, .rejections, .lastValues], value: .count,
      advice: "If more locations are wanted, relax `main.min_time` and `main.min_distance`."
    ) { event in event.rejections }
  }
}

extension EventEvidence {
  fileprivate var tripEnding: String {
    switch text(.cause) {
    case "asked": "hand"
    case "rest": "a stop"
    case "ignition": "the ignition"
    case "no_fix": "a loss of fixes"
    default: "the automatic pause"
    }
  }

  fileprivate var zone: String {
    switch text(.cause) {
    case "network": "\(text(.zone)) (by its network)"
    case "contradicted": "\(text(.zone)) (its network is joined, but fixes are elsewhere)"
    default: isSet(.isInferred) ? "\(text(.zone)) (crossed between two fixes)" : text(.zone)
    }
  }

  fileprivate var rejections: String {
    guard case .counts(let counts)? = fields[.rejections] else { return counted(.count, "fix", "fixes") }
    var last: [String: String] = [:]
    if case .texts(let texts)? = fields[.lastValues] { last = texts }
    return counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { reason, count in
      "\(reason) \(count)" + (last[reason].map { " (last \($0))" } ?? "")
    }.joined(separator: ", ")
  }
}
