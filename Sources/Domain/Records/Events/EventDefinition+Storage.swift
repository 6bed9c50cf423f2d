// The log and its storage medium.

extension EventDefinition {
  static var logSalvaged: Self {
    Self(
      subject: "store", group: .storage, level: .error, effects: [],
      gap: .cause("records were lost in a damaged log"),
      meaning: "The damaged log was set aside, and its readable records were copied into a new one.",
      fields: [.count, .lostRecords, .reason, .file, .renumbered, .cause], value: .count,
      advice: "Replace the medium: it loses data."
    ) { event in event.salvage }
  }

  static var recordsMissing: Self {
    Self(
      subject: "store", group: .storage, level: .error, effects: [],
      gap: .cause("records were lost in a damaged log"),
      meaning: "Records of the log are lost.",
      fields: [.count, .cause, .records, .record, .pages, .totalPages, .bytes], value: .count,
      advice: "Replace the medium, and keep outrider.db-wal beside the log."
    ) { event in event.missingRecords }
  }

  static var recordsDropped: Self {
    Self(
      subject: "store", group: .storage, level: .error, effects: [], gap: .cause("records were dropped"),
      meaning: "Records were deleted before they were sent.",
      fields: [.count, .cause, .record], value: .count,
      advice: "Free or enlarge storage."
    ) { event in "\(event.counted(.count, "record")) dropped: \(event.dropReason)" }
  }

  static var storageFailing: Self {
    Self(
      subject: "store", group: .storage, fault: .begins(.storage), level: .error, effects: [],
      gap: .cause("the log could not be written"),
      meaning: "The log cannot be written. Records wait in memory.",
      fields: [.reason, .count], value: .count,
      advice: "Free space or replace the medium."
    ) { event in "\(event.text(.reason)); \(event.counted(.count, "record")) waiting in memory" }
  }

  static var storageRecovered: Self {
    Self(
      subject: "store", group: .storage, fault: .ends(.storage), level: .notice, effects: [], gap: .context,
      meaning: "The log is written again.",
      fields: [.count], value: .count
    ) { event in "written again; \(event.counted(.count, "record")) were waiting in memory" }
  }

  static var storageNearlyFull: Self {
    Self(
      subject: "store", group: .storage, fault: .begins(.room), level: .warning, effects: [], gap: .unrelated,
      meaning: "Unsent records will soon be deleted because storage is nearly full.",
      fields: [.freeBytes, .cause], value: .freeBytes,
      advice: "Restore the connection to the destinations, free space or raise `storage.limit`."
    ) { event in
      let scarce =
        event.text(.cause) == "limit"
        ? "unsent records nearly fill storage.limit" : "the file system of storage.directory is nearly full"
      return "\(scarce); \(event.free) before unsent records are dropped"
    }
  }

  static var storageHasRoom: Self {
    Self(
      subject: "store", group: .storage, fault: .ends(.room), level: .notice, effects: [], gap: .unrelated,
      meaning: "Storage has room again.",
      fields: [.freeBytes], value: .freeBytes
    ) { event in event.free }
  }

  static var storageSlow: Self {
    Self(
      subject: "store", group: .storage, fault: .begins(.commits), level: .warning, effects: [],
      gap: .cause("storage was slow"),
      meaning: "A commit took very long.",
      fields: [.durationMilliseconds], value: .durationMilliseconds,
      advice: "Replace a worn-out card."
    ) { event in
      "a commit took \(event.number(.durationMilliseconds)) ms; the card may be worn out"
    }
  }

  static var storageKeepsUp: Self {
    Self(
      subject: "store", group: .storage, fault: .ends(.commits), level: .notice, effects: [], gap: .unrelated,
      meaning: "Commits are fast again.",
      fields: [.durationMilliseconds], value: .durationMilliseconds
    ) { event in "commits are fast again: \(event.number(.durationMilliseconds)) ms" }
  }

  static var storageVolatile: Self {
    Self(
      subject: "store", group: .storage, level: .warning, effects: [], gap: .cause("the log is in memory"),
      meaning: "The log is on a file system in memory and does not survive a power cut.",
      fields: [.directory, .fileSystem],
      advice: "Set `storage.directory` to a permanent file system."
    ) { event in
      "\(event.text(.directory)) is on a file system of type \(event.text(.fileSystem)): the log does not survive "
        + "a power cut (storage.allow_volatile)"
    }
  }

  static var storageWearing: Self {
    Self(
      subject: "store", group: .storage, level: .warning, effects: [], gap: .unrelated,
      meaning: "The storage medium is worn: 80 or 90 % of its life is used.",
      fields: [.device, .percent, .cause], value: .percent,
      advice: "Plan to replace the medium."
    ) { event in
      let source =
        event.text(.cause) == "endurance" ? "of storage.endurance" : "of its life, by its own report,"
      let medium = event.has(.device) ? event.text(.device) : "the storage medium"
      return "\(medium): \(event.number(.percent)) % \(source) is used"
    }
  }
}

extension EventEvidence {
  fileprivate var free: String { "\(number(.freeBytes) >> 20) MiB left" }

  fileprivate var salvage: String {
    var sentence =
      "\(text(.cause)); \(counted(.count, "record")) recovered, at least \(number(.lostRecords)) lost"
    if has(.file) { sentence += "; set aside as \(text(.file))" }
    if has(.renumbered) { sentence += "; \(number(.renumbered)) with impossible numbers renumbered" }
    return sentence + (has(.reason) ? "; \(text(.reason))" : "")
  }

  fileprivate var missingRecords: String {
    let bound = "at most \(number(.bytes) >> 10) KiB; keep outrider.db-wal beside the log"
    let lost =
      "\(number(.pages)) of its \(number(.totalPages)) pages with records after id \(number(.record)) are lost"
    return switch text(.cause) {
    case "not_salvaged": "not in the damaged log: \(text(.records))"
    case "checksum": "checksum mismatch: \(text(.records))"
    case "no_entry": "no entry in the log: \(text(.records))"
    case "wal_cut": "the write-ahead log is truncated or from another time: \(lost), \(bound)"
    case "wal_gone": "the write-ahead log is gone: \(lost), \(bound)"
    default:
      "the log was not closed and its write-ahead log is gone: unless another program has checkpointed it, "
        + "records after id \(number(.record)) are lost, \(bound)"
    }
  }

  fileprivate var dropReason: String {
    switch text(.cause) {
    case "log_slow": "storage was too slow, and the memory for waiting records is limited"
    case "log_failing": "the log could not be written, and the memory for waiting records was full"
    default: "the log reached its limit; unsent records up to id \(number(.record)) deleted"
    }
  }
}
