// The accelerometer, the ignition line, and the motion that they and the fixes show.

extension EventDefinition {
  static var accelerometerLost: Self {
    Self(
      subject: "accelerometer", group: .motion, fault: .begins(.accelerometer), level: .warning, effects: [],
      gap: .unrelated,
      meaning: "The accelerometer does not respond. Motion detection uses the other sensors.",
      fields: [.part, .reason],
      advice: "Check the wiring and `accelerometer` with `outrider doctor i2c`."
    ) { event in
      event.at(
        event.text(.part),
        "\(event.text(.reason)); no motion detection by accelerometer; the logger keeps retrying")
    }
  }

  static var accelerometerReturned: Self {
    Self(
      subject: "accelerometer", group: .motion, fault: .ends(.accelerometer), level: .notice, effects: [],
      gap: .unrelated,
      meaning: "The accelerometer responds again.",
      fields: [.part, .duration], value: .duration
    ) { event in event.at(event.text(.part), event.returned) }
  }

  static var accelerometerDoubtful: Self {
    Self(
      subject: "accelerometer", group: .motion, level: .warning, effects: [], gap: .unrelated,
      meaning:
        "Samples of the accelerometer are lost or invalid, its self-test failed, or its interrupt line "
        + "does not work.",
      fields: [.part, .cause, .count, .x, .y, .z, .limit], value: .count,
      advice: "Check the bus and the interrupt line."
    ) { event in event.at(event.text(.part), event.doubtfulAccelerometer) }
  }

  static var ignitionOn: Self {
    Self(
      subject: "ignition", group: .motion, level: .notice, effects: [.notifies, .asksForPosition],
      gap: .unrelated,
      meaning: "The ignition was switched on."
    ) { _ in "ignition on" }
  }

  static var ignitionOff: Self {
    Self(
      subject: "ignition", group: .motion, level: .notice, effects: [.notifies, .asksForPosition],
      gap: .unrelated,
      meaning: "The ignition was switched off."
    ) { _ in "ignition off" }
  }

  static var ignitionLost: Self {
    Self(
      subject: "ignition", group: .motion, level: .warning, effects: [], gap: .unrelated,
      meaning: "The ignition line cannot be read. The other sensors decide.",
      fields: [.reason],
      advice: "Check `lines.ignition` and the group gpio."
    ) { event in "\(event.text(.reason)); check lines.ignition and the group gpio" }
  }

  static var motionChanged: Self {
    Self(
      subject: "motion", group: .motion, level: .debug, effects: [], gap: .unrelated,
      meaning: "The motion state changed.",
      fields: [.motion, .confidence, .steps], value: .steps
    ) { event in
      let states = event.list(.motion)
      return states.isEmpty ? "unknown" : "\(states.joined(separator: ", ")) (\(event.text(.confidence)))"
    }
  }

  static var motionBegan: Self {
    Self(
      subject: "motion", group: .motion, level: .debug, effects: [], gap: .unrelated,
      meaning: "The fixes show movement; no accelerometer is fitted."
    ) { _ in "moving" }
  }

  static var motionEnded: Self {
    Self(
      subject: "motion", group: .motion, level: .debug, effects: [], gap: .unrelated,
      meaning: "The fixes show that the device is stationary again.",
      fields: [.duration], value: .duration
    ) { event in "stationary after \(event.duration(.duration))" }
  }

  static var trackingPaused: Self {
    Self(
      subject: "recording", group: .motion, level: .debug, effects: .notifies, gap: .unrelated,
      meaning: "Recording paused automatically while the device is stationary.",
      fields: [.cause]
    ) { _ in "paused: stationary" }
  }

  static var trackingResumed: Self {
    Self(
      subject: "recording", group: .motion, level: .debug, effects: .notifies, gap: .unrelated,
      meaning: "Recording resumed after an automatic pause.",
      fields: [.duration], value: .duration
    ) { event in "resumed after \(event.duration(.duration))" }
  }
}

extension EventEvidence {
  fileprivate var doubtfulAccelerometer: String {
    let polled = "the accelerometer is polled"
    return switch text(.cause) {
    case "overrun":
      number(.count) == 0 ? "samples lost: read too late" : "\(counted(.count, "sample")) lost: read too late"
    case "invalid_samples":
      "\(counted(.count, "sample")) discarded as impossible; check the bus for interference"
    case "interrupt_gone":
      "the GPIO chip of accelerometer.interrupt disappeared; \(polled) until the next start"
    case "interrupt_silent": "moved without an edge on accelerometer.interrupt; \(polled); check the wiring"
    case "interrupt_noisy": "edges on accelerometer.interrupt without movement; \(polled); check the wiring"
    default:
      "self-test response \(decimal(.x, per: 1000, digits: 1000)), \(decimal(.y, per: 1000, digits: 1000)), "
        + "\(decimal(.z, per: 1000, digits: 1000)) g, expected \(text(.limit)); used nevertheless"
    }
  }
}
