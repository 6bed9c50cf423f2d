import Quantities

// The time.

extension EventDefinition {
  static var clockSet: Self {
    Self(
      subject: "clock", group: .clock, level: .notice, effects: [], gap: .unrelated,
      meaning: "The time became known, in milliseconds since 1970.",
      fields: [.time, .cause], value: .time
    ) { event in
      "\(Timestamp(milliseconds: event.number(.time)).iso8601()) from \(event.clockSource)"
    }
  }

  static var clockStepped: Self {
    Self(
      subject: "clock", group: .clock, level: .warning, effects: [], gap: .cause("the clock was set"),
      meaning: "The receiver's time jumped.",
      fields: [.step], value: .step
    ) { event in "the receiver's time jumped by \(event.number(.step)) ms" }
  }

  static var clockLost: Self {
    Self(
      subject: "clock", group: .clock, level: .warning, effects: [], gap: .cause("the clock was set"),
      meaning: "The receiver has given no date for a long time. The boot clock may be off by seconds.",
      fields: [.age], value: .age
    ) { event in
      "no date from the receiver for \(event.duration(.age)); the boot clock may be off by seconds"
    }
  }

  static var clockSourceChanged: Self {
    Self(
      subject: "clock", group: .clock, level: .notice, effects: [], gap: .unrelated,
      meaning: "The receiver sets the clock again, ahead by this step.",
      fields: [.step], value: .step
    ) { event in "set by the receiver again, \(event.number(.step)) ms ahead" }
  }

  static var weekRepaired: Self {
    Self(
      subject: "clock", group: .clock, level: .warning, effects: [], gap: .cause("the clock was set"),
      meaning: "The receiver's date was behind by a multiple of 1,024 weeks and is corrected.",
      fields: [.days], value: .days,
      advice: "Update the receiver's firmware if its maker offers one."
    ) { event in
      "the receiver's date is \(event.counted(.days, "day")) behind and is corrected"
    }
  }

  static var dateRefused: Self {
    Self(
      subject: "clock", group: .clock, level: .warning, effects: [], gap: .unrelated,
      meaning:
        "The receiver gave a time that contradicts the release, the log or the known time. Reported once a day.",
      fields: [.time], value: .time,
      advice: "Replace the receiver if the event repeats and the clock of the host is right."
    ) { event in
      "the receiver's time \(Timestamp(milliseconds: event.number(.time)).iso8601()) is not believed"
    }
  }
}

extension EventEvidence {
  fileprivate var clockSource: String {
    switch text(.cause) {
    case "network": "the system clock, synchronised by the network"
    case "clock_chip": "the clock chip"
    default: "the receiver"
    }
  }
}
