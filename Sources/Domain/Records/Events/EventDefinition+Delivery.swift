// Deliveries, the network and notifications.

extension EventDefinition {
  static var deliveryFailing: Self {
    Self(
      subject: "upload", group: .delivery, fault: .begins(.delivery), level: .warning, effects: [],
      gap: .unrelated,
      meaning:
        "A destination does not accept records. They are kept and sent again. An outage is announced once.",
      fields: [.destination, .cause, .reason, .isOnRequest],
      advice: "Follow the remedy in the sentence; `outrider send --test NAME` checks a destination."
    ) { event in
      event.upload("\(event.text(.reason)); \(event.retry)")
    }
  }

  static var deliveryRecovered: Self {
    Self(
      subject: "upload", group: .delivery, fault: .ends(.delivery), level: .notice, effects: [],
      gap: .unrelated,
      meaning:
        "A destination accepts records again. After a relapse within an hour, that is announced once it has "
        + "held for 20 min, after further relapses for 40 min and an hour.",
      fields: [.destination, .failures]
    ) { event in
      event.upload("delivery resumed after \(event.counted(.failures, "failed attempt"))")
    }
  }

  static var recordSetAside: Self {
    Self(
      subject: "upload", group: .delivery, level: .warning, effects: [], gap: .unrelated,
      meaning:
        "A destination rejects one record and accepts others. It stays in the log and is not sent there "
        + "again, except once before it is deleted if the server may have been the cause. `count` is the length of the run of numbers that ends with it and has no other record.",
      fields: [.destination, .record, .count, .cause, .reason], value: .record
    ) { event in
      event.upload(
        "record \(event.number(.record)) set aside, the server rejects it and accepts others: "
          + event.text(.reason))
    }
  }

  static var deliveryDoubtful: Self {
    Self(
      subject: "upload", group: .delivery, level: .warning, effects: [], gap: .unrelated,
      meaning:
        "A response counts as success without confirming it, or a broker has no subscriber for a "
        + "message.",
      fields: [.destination, .cause, .reason, .isOnRequest],
      advice: "Check that the server stores what it receives."
    ) { event in
      event.upload(
        event.text(.cause) == "no_subscriber"
          ? "\(event.text(.reason)); \(event.retry)"
          : "\(event.text(.reason)); verify that the server stores the records")
    }
  }

  static var backlogOver: Self {
    Self(
      subject: "upload", group: .delivery, fault: .begins(.backlog), level: .warning, effects: [],
      gap: .unrelated,
      meaning: "The queue of a destination is very long.",
      fields: [.destination, .count], value: .count,
      advice: "Check the connection and the server."
    ) { event in event.upload("\(event.counted(.count, "record")) queued") }
  }

  static var backlogUnder: Self {
    Self(
      subject: "upload", group: .delivery, fault: .ends(.backlog), level: .notice, effects: [],
      gap: .unrelated,
      meaning: "The queue of a destination is short again.",
      fields: [.destination, .count], value: .count
    ) { event in event.upload("\(event.counted(.count, "record")) queued") }
  }

  static var queueDropped: Self {
    Self(
      subject: "upload", group: .delivery, level: .notice, effects: [], gap: .unrelated,
      meaning: "The operator discarded the queue of a destination. The records stay in the log.",
      fields: [.destination, .count], value: .count
    ) { event in
      event.upload("\(event.counted(.count, "record")) removed from the queue; they stay in the log")
    }
  }

  static var queueRewound: Self {
    Self(
      subject: "upload", group: .delivery, level: .warning, effects: [], gap: .unrelated,
      meaning:
        "The server lacks records that it had confirmed, for example after an older backup was restored. "
        + "They are sent again, as far as the log still has them.",
      fields: [.destination, .record, .count], value: .count
    ) { event in
      event.upload(
        "the server lacks records; sending again from record \(event.number(.record)), "
          + "\(event.counted(.count, "record"))")
    }
  }

  static var networkFailing: Self {
    Self(
      subject: "network", group: .delivery, fault: .begins(.network), level: .warning, effects: [],
      gap: .unrelated,
      meaning: "The network cannot be switched on or off. Uploads are tried nevertheless.",
      fields: [.reason, .failures], value: .failures,
      advice: "Check `network.up`, `network.down` and `network.rfkill`."
    ) { event in
      "\(event.text(.reason)); uploads are tried nevertheless; check network.up, network.down and network.rfkill"
    }
  }

  static var networkRecovered: Self {
    Self(
      subject: "network", group: .delivery, fault: .ends(.network), level: .notice, effects: [],
      gap: .unrelated,
      meaning: "The network can be switched again.",
      fields: [.failures], value: .failures
    ) { event in "switched again after \(event.counted(.failures, "failure"))" }
  }

  static var notificationFailing: Self {
    Self(
      subject: "notifications", group: .delivery, level: .warning, effects: [], gap: .unrelated,
      meaning: "The program or URL of `notifications` fails. The count is that of lost notifications.",
      fields: [.reason, .count], value: .count,
      advice: "Check the program or URL."
    ) { event in event.text(.reason) }
  }
}

extension EventEvidence {
  /// What happens to records that were not accepted.
  fileprivate var retry: String {
    isSet(.isOnRequest)
      ? "records stay queued; sending is off, delivery is tried again at the next outrider send"
      : "records stay queued, delivery is retried"
  }

  fileprivate func upload(_ sentence: String) -> String { "upload \(text(.destination)): \(sentence)" }
}
