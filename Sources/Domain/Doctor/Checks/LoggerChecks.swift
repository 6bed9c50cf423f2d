/// The checks of the service and its process.
enum LoggerChecks {
  static let all: [Check] = [
    Check(
      "running", .logger, "The logger is running.",
      advice: "Start the service, and read its journal if it stops again."
    ) { facts in running(facts) },
    Check(
      "responding", .logger, "The running logger responds on its socket.",
      advice: "Wait a minute: the service watchdog restarts a logger that hangs.", after: ["running"]
    ) { facts in
      switch facts.logger.answer {
      case .report(let report): .ok("version \(report.version) on \(facts.logger.socket)")
      case .notAsked(let reason): .skipped(reason)
      case .forbidden(let reason): .skipped(reason)
      case .nobody:
        .error(
          "nobody listens on \(facts.logger.socket)",
          means: "Commands and the page cannot reach the logger.",
          fix: "sudo systemctl restart outrider", "outrider set --list | grep api")
      case .silent:
        .error(
          "no answer on \(facts.logger.socket) within 5 s",
          means: "The logger hangs, or waits for its storage.",
          fix: "sudo systemctl restart outrider", "journalctl -u outrider -n 50")
      case .unusable(let reason):
        .error(
          "the logger runs, but \(reason)",
          means: "Commands and the page cannot show its status.",
          fix: "sudo systemctl restart outrider", "journalctl -u outrider -n 50")
      }
    },
    Check(
      "version-current", .logger, "The process runs the installed program.",
      advice: "Restart the service after an update."
    ) { facts in versionCurrent(facts) },
    Check(
      "service-enabled", .logger, "The service starts with the machine.", advice: "Enable the service."
    ) { facts in
      guard let unit = facts.service.unit else { return noSystemd(facts) }
      guard unit.isLoaded else { return noUnit }
      if unit.isEnabled { return .ok("outrider.service is enabled") }
      return .error(
        "outrider.service is \(unit["UnitFileState"] ?? "not enabled")",
        means: "After a power cut the device logs nothing.", fix: "sudo systemctl enable --now outrider")
    },
    Check(
      "watchdog", .logger, "systemd restarts a logger that hangs.",
      advice: "Add `WatchdogSec=60` and `Restart=always` to the unit."
    ) { facts in
      guard let unit = facts.service.unit else { return noSystemd(facts) }
      guard unit.isLoaded else { return noUnit }
      let limit = unit["WatchdogUSec"] ?? "0"
      let restarts = unit["Restart"] ?? "no"
      if limit != "0", limit != "infinity", restarts == "always" {
        return .ok("WatchdogSec=\(limit), Restart=always")
      }
      return .warning(
        "WatchdogSec=\(limit), Restart=\(restarts)", means: "A logger that hangs or ends is not restarted.",
        fix: "sudo systemctl edit outrider   and add: [Service] WatchdogSec=60 Restart=always")
    },
    Check(
      "restarts", .logger, "The service was not restarted after failures.",
      advice: "Read the journal for the reason."
    ) { facts in
      guard let unit = facts.service.unit else { return noSystemd(facts) }
      guard unit.isLoaded else { return noUnit }
      guard let count = unit.integer("NRestarts") else { return .skipped("systemd does not count restarts") }
      if count == 0 { return .ok("none since the service was started") }
      return .warning(
        "\(count) automatic restart\(count == 1 ? "" : "s")",
        means: "The logger ended or hung, which leaves gaps.",
        fix: "journalctl -u outrider -p warning --since -1d", "outrider why")
    },
    Check(
      "update-state", .logger, "No upgrade is on trial or was rolled back.",
      advice: "Read the reason in the journal of outrider-health. The next upgrade starts a new trial."
    ) { facts in
      if let reason = facts.service.returned {
        return .warning(
          "the last upgrade was rolled back: \(reason)", means: "The device runs the version before it.",
          fix: "journalctl -u outrider-health -u outrider --since -2d",
          "sudo apt install --reinstall outrider   to try it again")
      }
      if let reason = facts.service.kept {
        return .warning(
          "the last upgrade failed its trial and stays: \(reason)",
          means: "The version before it cannot run.",
          fix: "journalctl -u outrider-health -u outrider --since -2d",
          "correct the configuration, or install another version")
      }
      guard let trial = facts.service.trial else { return .ok("no trial") }
      return .ok("\(trial.new) is on trial after \(trial.old)")
    },
    Check(
      "last-exit", .logger, "The previous run of the logger ended in an orderly way.",
      advice: "After a power cut, check the supply. After a crash, send the journal with a report."
    ) { facts in lastExit(facts) },
    Check(
      "groups-effective", .logger, "The process has all groups of its user.",
      advice: "Restart the service: a process keeps the groups of its start."
    ) { facts in groupsEffective(facts) },
    Check(
      "share-gpsd", .logger, "Clients of gpsd can connect to the logger.",
      advice: "Choose a free port (`share.gpsd`), or stop the program that uses it."
    ) { facts in
      guard let settings = facts.configuration.settings else { return ConfigurationChecks.unread(facts) }
      guard let address = settings.share.gpsd else { return .skipped("share.gpsd is off") }
      guard let report = facts.logger.report else { return facts.logger.withoutReport }
      guard let fault = report.shareFault else { return .ok("gpsd's protocol on \(address)") }
      return .warning(
        fault, means: "cgps and similar programs cannot read the receiver.",
        fix: "sudo ss -ltnp   to see the program that uses the port",
        "sudo outrider set share.gpsd=127.0.0.1:2948")
    },
    Check(
      "unit-hardening", .logger, "The unit permits everything that the configuration uses.",
      advice:
        "Move a program that requires rights into a [unit](hooks.md). For anything else, add the drop-in that the message gives."
    ) { facts in
      guard let unit = facts.service.unit else { return noSystemd(facts) }
      guard unit.isLoaded else { return noUnit }
      guard let settings = facts.configuration.settings else { return ConfigurationChecks.unread(facts) }
      return unitHardening(
        UnitHardening.conflicts(
          settings, unit, scripts: facts.configuration.scripts, port: facts.port.target,
          light: facts.buses.statusLight))
    },
  ]

  static let noUnit = Finding.skipped("no unit outrider.service")

  static func noSystemd(_ facts: SystemFacts) -> Finding {
    .skipped(facts.service.fault ?? "systemctl does not respond")
  }

  private static func running(_ facts: SystemFacts) -> Finding {
    if facts.logger.answer.isFromLogger {
      let name = facts.service.process.map { "process \($0.id)" } ?? "it responds on \(facts.logger.socket)"
      return .ok(name)
    }
    if let process = facts.service.process { return .ok("process \(process.id)") }
    if let unit = facts.service.unit, unit.isLoaded, unit.isActive {
      return .ok("outrider.service is \(unit["ActiveState"] ?? "active")")
    }
    if case .forbidden(let reason) = facts.logger.answer { return .skipped(reason) }
    if let unit = facts.service.unit, unit.isLoaded {
      let state = unit["ActiveState"] ?? "inactive"
      let result = unit["Result"].map { $0 == "success" ? "" : ", result \($0)" } ?? ""
      if unit["ConditionResult"] == "no", state != "active" {
        return .error(
          "outrider.service did not start because its condition failed", means: "Nothing is logged.",
          fix: "sudo outrider setup", "systemctl status outrider")
      }
      return .error(
        "outrider.service is \(state)\(result)", means: "Nothing is logged.",
        fix: "sudo systemctl start outrider", "journalctl -u outrider -n 50")
    }
    return .error(
      "no process and no unit outrider.service", means: "Nothing is logged.",
      fix: "sudo apt install outrider", "outrider run")
  }

  private static func versionCurrent(_ facts: SystemFacts) -> Finding {
    let means = "The update takes effect only after a restart."
    let remedy = "sudo systemctl restart outrider"
    if let process = facts.service.process {
      if process.isProgramDeleted {
        return .warning("process \(process.id) runs a replaced program", means: means, fix: remedy)
      }
      if let started = process.started, let modified = process.programModified, modified > started {
        return .warning(
          "\(process.program ?? "the program") is newer than process \(process.id)", means: means, fix: remedy
        )
      }
    }
    guard let report = facts.logger.report else {
      return facts.service.process?.program.map { .ok("\($0) is unchanged since the start") }
        ?? facts.logger.withoutReport
    }
    if !facts.logger.ownVersion.isEmpty, report.version != facts.logger.ownVersion {
      // A restart would start the previous version again.
      if facts.service.runsPreviousVersion {
        return .skipped("the previous version, \(report.version), runs after a rollback: see update-state")
      }
      return .warning(
        "the logger has version \(report.version), this program \(facts.logger.ownVersion)", means: means,
        fix: remedy)
    }
    return .ok("version \(report.version)")
  }

  private static func lastExit(_ facts: SystemFacts) -> Finding {
    if let unit = facts.service.unit, unit.isLoaded, let result = unit["Result"], result != "success" {
      return .error(
        "outrider.service failed with result \(result), status \(unit["ExecMainStatus"] ?? "unknown")",
        means: "The logger ended by a fault.", fix: "journalctl -u outrider -n 50")
    }
    guard facts.logger.events.value != nil else {
      return facts.logger.events.skipped(ifAbsent: "no log yet")
    }
    guard let start = facts.logger.last("started") else { return .skipped("the log has no start yet") }
    let cause = start.fields["cause"] ?? ""
    let text = cause.isEmpty ? start.sentence : "\(cause): \(start.sentence)"
    if cause.contains("power") {
      return .warning(
        text, means: "The machine lost its supply while logging.",
        fix: "outrider doctor --only under-voltage",
        "outrider why")
    }
    if ["killed", "crash", "watchdog", "signal"].contains(where: { cause.contains($0) }) {
      return .warning(
        text, means: "The logger was ended by a fault.", fix: "journalctl -u outrider -b -1 -n 50",
        "journalctl -u outrider -n 200")
    }
    return .ok(text)
  }

  private static func groupsEffective(_ facts: SystemFacts) -> Finding {
    guard let process = facts.service.process else { return .skipped("no process of the logger") }
    guard let user = process.user, !facts.host.accounts.isEmpty else {
      return .skipped("the groups of process \(process.id) cannot be seen; run doctor with sudo")
    }
    let name = facts.host.accounts.userName(user)
    let added = facts.service.unit?.words("SupplementaryGroups") ?? []
    guard let identity = facts.host.accounts.identity(of: name, supplementary: added) else {
      return .skipped("user \(name) is not in /etc/passwd")
    }
    let missing = identity.groups.subtracting(process.groups).map(facts.host.accounts.groupName).sorted()
    if identity.isRoot || missing.isEmpty {
      let names = process.groups.map(facts.host.accounts.groupName).sorted().joined(separator: ", ")
      return .ok(identity.isRoot ? "root requires none" : names)
    }
    return .error(
      "process \(process.id) lacks \(missing.joined(separator: ", ")), which \(name) has",
      means: "The process keeps the groups of its start, so it cannot open these devices.",
      fix: "sudo systemctl restart outrider")
  }

  /// The finding for conflicts between unit and configuration.
  static func unitHardening(_ conflicts: [UnitHardening.Conflict]) -> Finding {
    guard let first = conflicts.first(where: \.isCertain) ?? conflicts.first else {
      return .ok("no setting requires more")
    }
    let remainder = conflicts.filter { $0 != first }.map { "\($0.setting) (\($0.value)): \($0.directive)" }
    let evidence =
      "\(first.setting): \(first.directive) of the unit blocks \(first.value)"
      + (remainder.isEmpty ? "" : "; also \(remainder.joined(separator: "; "))")
    let complaint = Finding.Complaint(
      evidence, means: "The service may not do this; the same command works in a shell.",
      fix: hardeningRemedies(conflicts))
    return conflicts.contains(where: \.isCertain) ? .error(complaint) : .warning(complaint)
  }

  /// First a unit for each program, then the drop-in for the rest. A drop-in that gives programs rights comes last,
  /// because it gives them to the logger, too.
  private static func hardeningRemedies(_ conflicts: [UnitHardening.Conflict]) -> [String] {
    var remedies: [String] = []
    for conflict in conflicts {
      guard let program = conflict.program else { continue }
      remedies.append(
        "sudo systemctl edit --force --full \(conflict.unit)   and write: [Service] Type=oneshot ExecStart=\(program)"
      )
      remedies.append("set \(conflict.setting) to \"\(conflict.unit)\" in the configuration")
    }
    func dropIn(_ conflicts: [UnitHardening.Conflict]) -> String? {
      var lines: [String] = []
      for line in conflicts.flatMap(\.dropIn) where !lines.contains(line) { lines.append(line) }
      return lines.isEmpty ? nil : "[Service] \(lines.joined(separator: " "))"
    }
    if let lines = dropIn(conflicts.filter { $0.program == nil }) {
      remedies.append("sudo systemctl edit outrider   and add: \(lines)")
    }
    if let lines = dropIn(conflicts.filter { $0.program != nil }) {
      remedies.append("or give these rights to the logger: sudo systemctl edit outrider   and add: \(lines)")
    }
    return remedies + ["sudo systemctl restart outrider   afterwards"]
  }
}
