// The starts and stops of the logger, its settings and its updates.

extension EventDefinition {
  static var started: Self {
    Self(
      subject: "logger", group: .settings, level: .notice, effects: .isStoredWhileOff,
      gap: .cause("the logger did not run"),
      meaning: "The logger started. The cause names the end of the previous run.",
      fields: [.version, .previousVersion, .cause, .signal],
      advice:
        "If the cause is power_loss or killed again and again, check the supply and the memory of the "
        + "device. If it is host_watchdog, read the kernel's messages before the reset (journalctl --boot "
        + "-1)."
    ) { event in "Outrider \(event.text(.version))" + event.previousRun }
  }

  static var stopped: Self {
    Self(
      subject: "logger", group: .settings, level: .notice, effects: .isStoredWhileOff,
      gap: .cause("the logger was stopped"),
      meaning: "The logger stopped in an orderly way."
    ) { _ in "orderly stop" }
  }

  static var identityChanged: Self {
    Self(
      subject: "identity", group: .settings, level: .notice, effects: .isStoredWhileOff, gap: .unrelated,
      meaning:
        "The log was started on another host, so `unique_id` is new. The cause is other_board, by the serial "
        + "number, or other_machine_id.",
      fields: [.cause, .previousIdentity],
      advice:
        "If the card is a copy, give it a `device_id` of its own. If the board was replaced "
        + "or the log was moved, nothing needs to be done. Servers can list a new device."
    ) { event in
      let evidence =
        event.text(.cause) == "other_board"
        ? "the serial number is that of another board" : "the machine-id is another one"
      return "\(evidence); unique_id is new, before it was \(event.text(.previousIdentity))"
    }
  }

  static var configurationChanged: Self {
    Self(
      subject: "settings", group: .settings, level: .notice, effects: .isStoredWhileOff,
      gap: .cause("the settings changed"),
      meaning: "A new configuration is in force.",
      fields: [.changes]
    ) { event in event.changes }
  }

  static var configurationRefused: Self {
    Self(
      subject: "settings", group: .settings, level: .warning, effects: [],
      gap: .causeAtStart("the configuration was invalid"),
      meaning:
        "A new configuration is invalid, and the current one stays in force. With the cause start, it "
        + "prevented an earlier start of the service, and the logger runs since it was corrected.",
      fields: [.reason, .cause],
      advice: "Correct the file and reload it."
    ) { event in
      event.text(.cause) == "start"
        ? "the logger did not start before: \(event.text(.reason))"
        : "\(event.text(.reason)); the current configuration stays in force"
    }
  }

  static var accessRefused: Self {
    Self(
      subject: "local API", group: .settings, level: .warning, effects: [], gap: .unrelated,
      meaning: "Clients sent wrong tokens to `api.listen`. Until they stop, one more is permitted every 6 s.",
      fields: [.count], value: .count,
      advice: "Look for a client with an old token. If there is none, somebody tries to guess it."
    ) { event in "\(event.counted(.count, "wrong token")); further ones are delayed" }
  }

  static var settingsRolledBack: Self {
    Self(
      subject: "settings", group: .settings, level: .warning, effects: .isStoredWhileOff, gap: .unrelated,
      meaning:
        "Settings of the operator that were on trial have their previous values again. The cause is "
        + "not_confirmed, or restart: the logger started again before the confirmation.",
      fields: [.changes, .cause],
      advice: "Make the change again, and confirm it on the page within 90 s."
    ) { event in
      let reason =
        event.text(.cause) == "restart"
        ? "the logger started again before the change was confirmed" : "not confirmed in time"
      return "\(event.changes): \(reason); the previous values apply"
    }
  }

  static var remoteApplied: Self {
    Self(
      subject: "remote settings", group: .settings, level: .notice, effects: [],
      gap: .cause("a server changed the settings"),
      meaning: "A server changed settings. They are on trial.",
      fields: [.destination, .changes, .rollback]
    ) { event in
      "\(event.remoteChanges): on trial; rolled back after \(event.duration(.rollback)) unless a location "
        + "recorded under them is stored and acknowledged"
    }
  }

  static var remoteProven: Self {
    Self(
      subject: "remote settings", group: .settings, level: .notice, effects: [], gap: .unrelated,
      meaning: "Settings of a server are proven: a location recorded under them was stored and acknowledged.",
      fields: [.destination, .changes]
    ) { event in
      "\(event.remoteChanges): proven; a location recorded under them was stored and acknowledged"
    }
  }

  static var remoteRolledBack: Self {
    Self(
      subject: "remote settings", group: .settings, level: .warning, effects: [],
      gap: .cause("a server changed the settings"),
      meaning: "Settings of a server were rolled back.",
      fields: [.destination, .changes, .cause, .reason],
      advice: "Correct the value at the server. It is not tried again until the server sends another one."
    ) { event in "\(event.remoteChanges): rolled back: \(event.rollbackReason)" }
  }

  static var remoteUnset: Self {
    Self(
      subject: "remote settings", group: .settings, level: .notice, effects: [],
      gap: .cause("a server changed the settings"),
      meaning: "A server took back values that it had set. The values before them apply.",
      fields: [.destination, .changes]
    ) { event in "\(event.remoteChanges): unset by its server" }
  }

  static var updated: Self {
    Self(
      subject: "update", group: .settings, level: .notice, effects: [], gap: .unrelated,
      meaning: "A new version of the package has proven itself.",
      fields: [.version, .previousVersion]
    ) { event in
      "version \(event.text(.version)) has proven itself after \(event.text(.previousVersion))"
    }
  }

  static var updateRolledBack: Self {
    Self(
      subject: "update", group: .settings, level: .warning, effects: [],
      gap: .cause("a new version failed its trial"),
      meaning: "A new version of the package failed its trial. The previous one runs again.",
      fields: [.version, .previousVersion, .reason],
      advice:
        "Correct the cause, then try again with `sudo apt install --reinstall outrider`, or wait for the "
        + "next version."
    ) { event in
      "version \(event.text(.version)) failed its trial; version \(event.text(.previousVersion)) runs again: "
        + event.text(.reason)
    }
  }
}

extension EventEvidence {
  fileprivate var changes: String { list(.changes).joined(separator: ", ") }

  fileprivate var remoteChanges: String {
    let source = text(.destination).isEmpty ? "of a removed destination" : text(.destination)
    return "remote settings \(source): \(changes)"
  }

  fileprivate var rollbackReason: String {
    switch text(.cause) {
    case "not_proven": "no location recorded under them was acknowledged within remote.max_silence"
    case "crashes": "the logger ended repeatedly soon after its start"
    case "unset": "the operator unset them (outrider set --unset)"
    default: text(.reason)
    }
  }

  fileprivate var previousRun: String {
    let update = has(.previousVersion) ? "updated from \(text(.previousVersion))" : ""
    let cause =
      switch text(.cause) {
      case "first_start": "first start with this log"
      // The version before precedes it.
      case "orderly_stop", "update": "after an orderly stop"
      case "crash": "previous run crashed (\(text(.signal)))"
      case "watchdog": "previous run was ended by the watchdog of its supervisor (\(text(.signal)))"
      case "supervisor": "previous run was ended by its supervisor (\(text(.signal)))"
      case "other_program": "previous run was ended by another program (\(text(.signal)))"
      case "killed": "previous run ended without notice in this boot: killed, or out of memory"
      case "power_loss": "previous run ended with its boot: power loss, or the host stopped without notice"
      case "host_watchdog":
        "previous run ended with its boot: the hardware watchdog reset the host, which hung"
      case "no_notice": "previous run ended without notice"
      case "unknown": "nothing is known of the previous run"
      default: ""
      }
    return [update, cause].filter { !$0.isEmpty }.map { "; \($0)" }.joined()
  }
}
