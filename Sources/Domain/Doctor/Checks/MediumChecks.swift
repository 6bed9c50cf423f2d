import Medium

/// The checks of the storage medium, the log's integrity and the journal.
enum MediumChecks {
  /// Writing more than this per day wears an ordinary SD card within about five years (1 TB of writes).
  static let bytesPerDayLimit: Double = 500_000_000
  /// Fewer days than these until `storage.endurance` is used up leave little time to replace the medium.
  static let daysLeftLimit = 90
  /// The used share of `storage.endurance` that deserves attention, in percent (the last of ``MediumLife/levels``).
  static let usedPercentLimit = 90
  /// An average flush above this delays records noticeably.
  static let flushLimitMilliseconds: Int64 = 250

  static let all: [Check] = [
    Check(
      "wear", .storage, "The medium is not worn out.",
      advice:
        "Replace the medium. SD cards do not report wear; with `storage.endurance` the logger estimates it."
    ) { facts in wear(facts) },
    Check(
      "bytes-per-day", .storage, "The logger writes less than 500 MB per day.",
      advice: "Raise `storage.commit_interval` or the time between records."
    ) { facts in
      guard let process = facts.service.process else { return .skipped("no process of the logger") }
      guard let bytes = process.writtenBytes, let started = process.started else {
        return .skipped("what process \(process.id) wrote cannot be seen; run doctor with sudo")
      }
      let seconds = max(Double(facts.clock.now) - Double(started), 0)
      guard seconds > 3600 else { return .skipped("the logger runs for less than an hour") }
      let rate = Double(max(bytes, 0)) / seconds * 86_400
      let evidence = "\(StorageChecks.size(Int64(min(rate, 1e15)))) per day"
      if rate < bytesPerDayLimit { return .ok(evidence) }
      return .warning(
        evidence, means: "An SD card may wear out within few years.",
        fix: "sudo outrider set storage.commit_interval=60s")
    },
    Check(
      "flush-latency", .storage, "The medium completes writes quickly.",
      advice: "Replace a slow card with an industrial one, or raise `storage.commit_interval`."
    ) { facts in
      guard let flushes = facts.storage.flushes.value, flushes.count > 10 else {
        return facts.storage.flushes.skipped(ifAbsent: "the kernel does not measure flushes of this medium")
      }
      let milliseconds = max(flushes.milliseconds, 0) / flushes.count
      let evidence = "\(milliseconds) ms on average over \(flushes.count) flushes"
      if let event = facts.logger.last("storage_slow", "storage_keeps_up"), event.kind == "storage_slow" {
        return .warning(
          event.sentence, means: "Records wait in memory; a power cut loses them.",
          fix: "sudo outrider set storage.commit_interval=30s", "replace the medium")
      }
      if milliseconds < flushLimitMilliseconds { return .ok(evidence) }
      return .warning(
        evidence, means: "Records wait in memory; a power cut loses them.",
        fix: "sudo outrider set storage.commit_interval=30s", "replace the medium")
    },
    Check(
      "log-integrity", .storage, "The log can be read and recorded no damage.",
      advice: "The logger salvages a damaged log by itself. Check the medium and the supply."
    ) { facts in logIntegrity(facts) },
    Check(
      "journal-persistent-and-bounded", .storage, "The system journal survives a restart and has a limit.",
      advice: "Set `Storage=persistent` and `SystemMaxUse=` in a drop-in of journald.conf."
    ) { facts in journal(facts) },
  ]

  private static func wear(_ facts: SystemFacts) -> Finding {
    let byRegisters = reportedWear(facts)
    guard byRegisters.complaint == nil, let life = facts.logger.report?.medium else { return byRegisters }
    var parts: [String] = []
    if life.isByEndurance, let used = life.usedPercent { parts.append("\(used) % of storage.endurance used") }
    if let days = life.daysLeft {
      parts.append("\(days) day\(days == 1 ? "" : "s") left at the present rate")
    }
    guard !parts.isEmpty else { return byRegisters }
    let disk = facts.storage.disk ?? "the medium"
    let isUsed = life.isByEndurance && life.usedPercent ?? 0 >= usedPercentLimit
    guard isUsed || life.daysLeft ?? .max < daysLeftLimit else {
      if case .ok(let text) = byRegisters { return .ok(([text] + parts).joined(separator: ", ")) }
      return .ok("\(disk): \(parts.joined(separator: ", "))")
    }
    return .warning(
      "\(disk): \(parts.joined(separator: ", "))",
      means: "The writes that the maker of the medium states are nearly used up.",
      fix: "plan to replace the medium", "sudo outrider set storage.commit_interval=60s   to write less")
  }

  /// The finding on the registers of an eMMC.
  private static func reportedWear(_ facts: SystemFacts) -> Finding {
    let disk = facts.storage.disk ?? "the medium"
    guard let wear = facts.storage.wear.value else {
      let isSet = facts.configuration.settings?.storage.enduranceBytes != nil
      return facts.storage.wear.skipped(
        ifAbsent: "\(disk) does not report its wear; "
          + (isSet ? "the logger has no estimate yet" : "set storage.endurance for an estimate"))
    }
    // JESD84-B51: 1 means 0 to 10 % used, 10 means 90 to 100 %, 11 exceeded; 0 undefined.
    let used =
      wear.lifeTime == 0 ? "unknown" : wear.lifeTime > 10 ? "over 100 %" : "\(Int(wear.lifeTime) * 10) %"
    let evidence = "\(disk): at most \(used) of its life used"
    if wear.lifeTime > 10 || wear.endOfLife == 3 {
      return .error(
        evidence, means: "The medium may fail at any time.",
        fix: "sudo dd if=/dev/\(disk) of=BACKUP bs=4M   to a new medium")
    }
    if wear.lifeTime >= 8 || wear.endOfLife == 2 {
      return .warning(
        evidence, means: "The medium is near the end of its life.", fix: "plan to replace the medium")
    }
    return wear.lifeTime == 0 ? .skipped("\(disk) does not report its wear") : .ok(evidence)
  }

  private static func logIntegrity(_ facts: SystemFacts) -> Finding {
    if let trouble = facts.logger.report?.logFault {
      return .error(
        trouble, means: "New records are not durable.",
        fix: "sudo outrider doctor --only free-space,read-only,volatile",
        "journalctl -u outrider -n 50")
    }
    let directory = StorageChecks.directory(facts) ?? "/var/lib/outrider"
    switch facts.storage.logFault {
    case .known(let fault?):
      return .error(
        fault, means: "Records may be lost.",
        fix: "sudo systemctl stop outrider && sudo cp -a \(directory) \(directory).backup && "
          + "sudo systemctl start outrider   which salvages the log")
    case .absent: return .skipped("no log yet")
    case .hidden(let reason): return .skipped(reason)
    case .known(nil): break
    }
    let damage = (facts.logger.events.value ?? []).filter {
      ["log_salvaged", "records_missing"].contains($0.kind)
    }
    guard let last = damage.last else { return .ok("the log can be read; no damage in the last events") }
    return .warning(
      last.sentence, means: "The medium or a power cut damaged the log.", fix: "outrider why",
      "outrider doctor --only fs-errors,wear,under-voltage")
  }

  private static func journal(_ facts: SystemFacts) -> Finding {
    let storage = facts.storage.journal["Storage"] ?? "auto"
    let isPersistent = storage == "persistent" || storage == "auto" && facts.storage.hasJournalDirectory
    let dropIn = "/etc/systemd/journald.conf.d/outrider.conf"
    if storage == "none" {
      return .warning(
        "Storage=none", means: "Nobody can read why the logger stopped.",
        fix: "sudoedit /etc/systemd/journald.conf")
    }
    if !isPersistent || StorageChecks.hasOverlayRoot(facts) {
      if StorageChecks.hasOverlayRoot(facts) { return .ok("in memory, as suits a read-only root") }
      return .warning(
        "the journal is kept in memory (Storage=\(storage))",
        means: "After a power cut nobody can read the cause.",
        fix: "sudo mkdir -p /var/log/journal && sudo systemctl restart systemd-journald",
        "sudoedit \(dropIn)   and write: [Journal] Storage=persistent SystemMaxUse=100M")
    }
    if let limit = facts.storage.journal["SystemMaxUse"], !limit.isEmpty {
      return .ok("persistent, at most \(limit)")
    }
    // journald.conf(5): by default 10 % of the file system, at most 4 GiB.
    guard let space = facts.storage.space.value else { return .ok("persistent, with the default limit") }
    let limit = min(space.total / 10, 4 << 30)
    guard limit > 1 << 30 else { return .ok("persistent, at most \(StorageChecks.size(limit)) by default") }
    return .warning(
      "no SystemMaxUse; the journal may take \(StorageChecks.size(limit))",
      means: "It takes space from the log and wears the medium.",
      fix: "sudoedit \(dropIn)   and write: [Journal] Storage=persistent SystemMaxUse=100M")
  }
}
