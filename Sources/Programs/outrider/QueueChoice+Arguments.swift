import Daemon
import LocalAPI
import LoggerConfiguration
import Records
import Settings
import Store
import System

// The choice of the operator on a command line. There is no default, because neither choice suits all operators.
extension QueueChoice {
  static let options: [CommandOption] = [
    .flag("--keep", text: "if the url of a destination changes: send its queue to the new url"),
    .flag(
      "--drop",
      text: """
        if the url of a destination changes: discard its queue (records stay in the log until storage.retention \
        removes them)
        """),
  ]

  /// Reads the flags; nil if neither is given.
  init?(_ arguments: Arguments) throws {
    switch (arguments.has("--keep"), arguments.has("--drop")) {
    case (true, true): throw Arguments.Misuse(message: "--keep and --drop exclude each other")
    case (true, false): self = .keep
    case (false, true): self = .drop
    case (false, false): return nil
    }
  }

  /// Returns those of the named destinations that have a queue in the log of a directory.
  static func waiting(_ names: [String], in directory: String) -> [LogStatus.Destination] {
    guard !names.isEmpty, let status = try? LogReader(directory: directory).status() else { return [] }
    return status.destinations.filter { names.contains($0.name) && $0.queued > 0 }
  }

  /// Words the question about these queues that a change requires.
  static func question(_ waiting: [LogStatus.Destination]) -> String {
    let lines = waiting.map { destination in
      let records = StatusText.counted(destination.queued, "record")
      return
        "destination \(destination.name): \(records) in the queue, and the url changes"
    }
    return
      (lines + [
        "choose --keep to send the queue to the new url, or --drop to discard it (records stay in the log)",
        "nothing was changed",
      ]).joined(separator: "\n")
  }

  /// Returns the consequences for the records if destinations are added or removed, one line each.
  static func consequences(of next: Configuration, after old: Configuration) -> [String] {
    let (before, after) = (Set(old.destinations.map(\.name)), Set(next.destinations.map(\.name)))
    guard before != after, let status = try? LogReader(directory: old.storage.directory).status(),
      status.count > 0
    else { return [] }
    let gone = status.destinations.filter {
      before.contains($0.name) && !after.contains($0.name) && $0.queued > 0
    }
    let new = next.destinations.map(\.name).filter { !before.contains($0) }
    return gone.map {
      let (records, isOne) = (StatusText.counted($0.queued, "record"), $0.queued == 1)
      return
        "destination \($0.name) removed: \(records) of its queue \(isOne ? "stays" : "stay") in the log and "
        + "\(isOne ? "is" : "are") not sent"
    }
      + new.map {
        "destination \($0) added: it receives the log from the oldest record on, up to \(StatusText.counted(status.count, "record"))"
      }
  }

  /// Discards the queues of destinations while no logger is running. `forgets` also removes the destinations from the log.
  static func drop(_ names: [String], _ storage: StorageSettings, forgets: Bool = false) throws {
    let writer = LogWriter(
      directory: storage.directory, allowVolatile: storage.allowsVolatile,
      options: LogOptions(bootID: ProcessEnvironment.bootIdentity, clock: { SystemClock.moment() }))
    var replies: [LogWriter.Reply] = []
    var ends: [String: RecordID] = [:]
    for name in names {
      let answers = writer.handle(.drop(destination: name, forgets: forgets))
      replies += answers
      for case .dropped(_, let count, let through) in answers.map(\.answer) {
        ends[name] = through
        let record = LogRecord(
          moment: SystemClock.moment(), time: nil, timeQuality: .none,
          body: .event(EventRecord(dropped: count, waitingFor: name)))
        replies += writer.handle(.append([record], urgent: true))
      }
    }
    replies += writer.handle(.close)
    for case .refused(let error) in replies.map(\.answer) { throw notDropped("\(error)") }
    for case .failing(let reason, _, _) in replies.map(\.answer) { throw notDropped(reason) }
    if !forgets { keepFirstRecords(after: ends, in: storage.directory) }
  }

  /// Stores that servers that take reports never get the discarded records, even if they ask for them. Without settings
  /// that can be read and written, a server may get them once.
  private static func keepFirstRecords(after ends: [String: RecordID], in directory: String) {
    guard let bytes = try? SettingsFile.read(in: directory, limit: StoredSettings.largest),
      var stored = try? StoredSettings(json: bytes), stored.faults.isEmpty
    else { return }
    let before = stored
    for (name, end) in ends where stored.destinations?[name]?.form?.isComplete ?? false {
      stored.destinations?[name]?.first = end.rawValue + 1
    }
    if stored != before { try? SettingsFile.replace(in: directory, with: stored.json) }
  }

  private static func notDropped(_ reason: String) -> LocalCall.Refusal {
    LocalCall.Refusal(description: "the queue could not be discarded and is unchanged: \(reason)")
  }
}
