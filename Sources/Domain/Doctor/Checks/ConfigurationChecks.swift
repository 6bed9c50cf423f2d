import Settings

/// The checks of the configuration.
enum ConfigurationChecks {
  static let all: [Check] = [
    Check(
      "config-valid", .configuration, "The configuration can be read and is valid.",
      advice: "Correct the key that the message names. `outrider set --list` validates the file."
    ) { facts in
      let configuration = facts.configuration
      if let fault = configuration.fault {
        if configuration.isDenied {
          return .skipped("\(facts.observer.name) may not read \(configuration.path); run doctor with sudo")
        }
        return .error(
          fault, means: "The logger does not start with this configuration.",
          fix: "sudoedit \(configuration.path)", "outrider set --list --config \(configuration.path)")
      }
      guard configuration.file != nil else {
        if configuration.hasOverrides { return .ok("the options of the command line are valid") }
        return .error(
          "\(configuration.path) does not exist", means: "The logger has neither receiver nor destination.",
          fix: "sudo outrider setup", "sudoedit \(configuration.path)")
      }
      return .ok("\(configuration.path) is valid")
    },
    Check(
      "config-warnings", .configuration, "No setting is ineffective or probably a mistake.",
      advice: "Change or remove the setting. The message gives the reason.", after: ["config-valid"]
    ) { facts in
      guard facts.configuration.settings != nil else { return unread(facts) }
      guard let first = facts.configuration.warnings.first else { return .ok("no warnings") }
      let count = facts.configuration.warnings.count
      return .warning(
        count == 1 ? first : "\(count) warnings; the first: \(first)",
        means: "A setting has no effect.", fix: "sudoedit \(facts.configuration.path)",
        "outrider set --list --changed")
    },
    Check(
      "board-known", .configuration, "The configuration names a board.",
      advice: "Set `board`. `outrider boards` lists the names. Without one, name port and chips yourself.",
      after: ["config-valid"]
    ) { facts in
      guard let settings = facts.configuration.settings else { return unread(facts) }
      switch settings.board {
      case .named(let name): return .ok("\(name): \(settings.boardTitle ?? "no title")")
      case .file(let path): return .ok(path)
      case nil:
        guard settings.receiver.port == nil, settings.receiver.gpsd == nil else {
          return .ok("none; the configuration names the receiver")
        }
        return .error(
          "neither board nor receiver is configured", means: "The logger has no receiver.",
          fix: "outrider boards", "sudoedit \(facts.configuration.path)   and add board: \"NAME\"")
      }
    },
    Check(
      "destinations-any", .configuration, "At least one destination receives the records.",
      advice: "Add a destination, or ignore this if the device only logs.", after: ["config-valid"]
    ) { facts in
      guard let settings = facts.configuration.settings else { return unread(facts) }
      guard settings.destinations.isEmpty else {
        return .ok(settings.destinations.map(\.name).joined(separator: ", "))
      }
      return .warning(
        "destinations is empty", means: "Positions are logged, but sent nowhere.",
        fix:
          "sudoedit \(facts.configuration.path)   and add "
          + "destinations: [{ name: \"home\", kind: \"overland\", url: \"https://…\" }]",
        "sudo outrider setup   which replaces the file and keeps a copy"
      )
    },
    Check(
      "secrets-readable", .configuration,
      "The logger can read the configuration; other users cannot read its secrets.",
      advice: "Give the file to the logger's group with mode 640."
    ) { facts in secretsReadable(facts) },
    Check(
      "config-newer-than-process", .configuration, "The running logger uses the configuration of the files.",
      advice: "Reload the service after editing the file.", after: ["config-valid"]
    ) { facts in newerThanProcess(facts) },
    Check(
      "settings-persisted", .configuration, "Settings that were changed at run time are saved.",
      advice: "Correct the fault of the storage directory that the message names."
    ) { facts in
      let running = facts.logger.report?.settingsFault
      if running == nil, facts.configuration.isStoredDenied, !facts.observer.isRoot {
        return .skipped(facts.configuration.unreadStored(facts.observer))
      }
      if let trouble = running ?? facts.configuration.storedFault {
        return .error(
          trouble, means: "Changes by servers and by outrider set are lost at the next start.",
          fix: "sudo outrider doctor --only free-space,read-only,volatile")
      }
      guard facts.logger.report != nil || facts.configuration.settings != nil else { return unread(facts) }
      return .ok("run-time settings can be read")
    },
  ]

  /// The finding for a check that requires the settings.
  static func unread(_ facts: SystemFacts) -> Finding {
    .skipped(
      facts.configuration.isDenied
        ? "\(facts.observer.name) may not read \(facts.configuration.path); run doctor with sudo"
        : "not checked: see config-valid")
  }

  private static func secretsReadable(_ facts: SystemFacts) -> Finding {
    guard let file = facts.configuration.file else {
      return facts.configuration.isDenied ? unread(facts) : .skipped("no configuration file")
    }
    let (path, logger) = (facts.configuration.path, facts.loggerIdentity)
    let owner = "\(facts.host.accounts.userName(file.user)):\(facts.host.accounts.groupName(file.group))"
    let evidence = "\(path): mode \(String(file.mode & 0o777, radix: 8)), \(owner)"
    let remedy = "sudo chown root:\(logger.name) \(path) && sudo chmod 640 \(path)"
    guard file.permits(4, to: logger) else {
      return .error(
        "\(evidence); \(logger.name) cannot read it", means: "The logger cannot start.", fix: remedy)
    }
    if file.mode & 0o004 != 0, let secret = facts.configuration.secrets.first {
      return .warning(
        "\(evidence); every user can read \(secret)", means: "Any program can send data in your name.",
        fix: remedy)
    }
    return .ok(evidence)
  }

  private static func newerThanProcess(_ facts: SystemFacts) -> Finding {
    let means = "The logger keeps its previous configuration until it is reloaded."
    switch facts.configuration.differences {
    case .known(let keys):
      guard !keys.isEmpty else { return .ok("the running logger has the same values") }
      let shown = keys.prefix(5).joined(separator: ", ") + (keys.count > 5 ? " and others" : "")
      return .warning(
        "the running logger has other values for \(shown)", means: means,
        fix: "sudo systemctl reload outrider",
        "sudo systemctl restart outrider   if a key applies only after a restart")
    case .hidden(let reason):
      guard let started = facts.service.process?.started, let file = facts.configuration.file,
        file.modified <= started
      else { return .skipped(reason) }
      return .ok("the file is older than the process")
    case .absent:
      guard let process = facts.service.process, let started = process.started,
        let file = facts.configuration.file
      else { return .skipped("the logger is not running") }
      guard file.modified > started else { return .ok("the file is older than the process") }
      return .warning(
        "\(facts.configuration.path) was changed after the logger's start", means: means,
        fix: "sudo systemctl reload outrider")
    }
  }
}
