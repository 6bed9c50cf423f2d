import Quantities

// Harsh driving, speed, idling and towing.

extension EventDefinition {
  static var harshAcceleration: Self {
    Self(
      subject: "harsh acceleration", group: .driving, level: .notice, effects: .asksForPosition,
      gap: .unrelated,
      meaning: "Harsh acceleration.",
      fields: [.peakAcceleration, .durationMilliseconds], value: .peakAcceleration
    ) { event in event.peak }
  }

  static var harshBraking: Self {
    Self(
      subject: "harsh braking", group: .driving, level: .notice, effects: .asksForPosition, gap: .unrelated,
      meaning: "Harsh braking.",
      fields: [.peakAcceleration, .durationMilliseconds], value: .peakAcceleration
    ) { event in event.peak }
  }

  static var harshCornering: Self {
    Self(
      subject: "harsh cornering", group: .driving, level: .notice, effects: .asksForPosition, gap: .unrelated,
      meaning: "Harsh cornering.",
      fields: [.peakAcceleration, .durationMilliseconds, .side], value: .peakAcceleration
    ) { event in "\(event.text(.side)), \(event.peak)" }
  }

  static var overspeedStarted: Self {
    Self(
      subject: "overspeed", group: .driving, level: .notice, effects: .asksForPosition, gap: .unrelated,
      meaning: "The vehicle exceeds the speed limit of `driving`.",
      fields: [.speed], value: .speed
    ) { event in event.speed }
  }

  static var overspeedEnded: Self {
    Self(
      subject: "overspeed ended", group: .driving, level: .notice, effects: .asksForPosition, gap: .unrelated,
      meaning: "The vehicle is below the speed limit again.",
      fields: [.duration, .speed, .started], value: .duration
    ) { event in "at most \(event.speed) for \(event.duration(.duration))\(event.since)" }
  }

  static var idlingStarted: Self {
    Self(
      subject: "idling", group: .driving, level: .notice, effects: .asksForPosition, gap: .unrelated,
      meaning: "The ignition is on and the vehicle is stationary.",
      fields: [.duration], value: .duration
    ) { event in "ignition on and stationary for \(event.duration(.duration))" }
  }

  static var idlingEnded: Self {
    Self(
      subject: "idling ended", group: .driving, level: .notice, effects: .asksForPosition, gap: .unrelated,
      meaning: "Idling ended.",
      fields: [.duration, .started], value: .duration
    ) { event in "after \(event.duration(.duration))\(event.since)" }
  }

  static var towed: Self {
    Self(
      subject: "towed", group: .motion, level: .warning, effects: [.notifies, .asksForPosition],
      gap: .unrelated,
      meaning: "The vehicle moves while its ignition is off.",
      fields: [.distance, .cause], value: .distance,
      advice: "If nobody tows it, suspect theft."
    ) { event in
      if event.has(.distance) {
        return "ignition off, \(event.number(.distance)) m from the parking position"
      }
      return event.text(.cause) == "no_fix"
        ? "ignition off, moves without a fix" : "ignition off, left the parking position"
    }
  }
}

extension EventEvidence {
  fileprivate var peak: String {
    "\(decimal(.peakAcceleration, per: 1000, digits: 10)) m/s² for "
      + "\(decimal(.durationMilliseconds, per: 1000, digits: 10)) s"
  }

  fileprivate var speed: String { "\(decimal(.speed, per: 1000 / 3.6, digits: 1)) km/h" }

  fileprivate var since: String {
    has(.started) ? ", since \(Timestamp(milliseconds: number(.started)).iso8601())" : ""
  }
}
