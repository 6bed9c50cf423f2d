import Daemon
import LocalAPI
import Records
import Settings
import Store
import SystemLoop

// The operator's wish on a command line. Nobody guesses: either is wrong for somebody.
extension QueueWish {
  static let flags = ["--keep", "--drop"]
  static let help = """
      --keep            where the url of a destination changes: what waits for it goes to the new one
      --drop            what waits is not sent to it; it stays in the log until storage.retention takes it
    """

  /// Nil where the operator has not said.
  init?(_ arguments: Arguments) throws {
    switch (arguments.has("--keep"), arguments.has("--drop")) {
    case (true, true): throw Arguments.Misuse(message: "--keep and --drop at once")
    case (true, false): self = .keep
    case (false, true): self = .drop
    case (false, false): return nil
    }
  }

  /// The destinations of a storage directory, of these, for which records wait.
  static func waiting(_ names: [String], in directory: String) -> [LogStatus.Destination] {
    guard !names.isEmpty, let status = try? LogReader(directory: directory).status() else { return [] }
    return status.destinations.filter { names.contains($0.name) && $0.queued > 0 }
  }

  /// Why nothing is done without a choice.
  static func question(_ waiting: [LogStatus.Destination]) -> String {
    let lines = waiting.map { destination in
      let records = StatusText.counted(destination.queued, "record")
      return
        "destination \(destination.name): \(records) wait\(destination.queued == 1 ? "s" : "") for it, and its url changes"
    }
    return
      (lines + [
        "say what becomes of them: --keep sends them to the new url, --drop does not (they stay in the log)",
        "nothing was changed",
      ]).joined(separator: "\n")
  }

  /// What becomes of records where destinations come and go by their names.
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
        "destination \($0.name) is gone: \(records) that waited for it \(isOne ? "stays" : "stay") in the log and "
        + "\(isOne ? "is" : "are") not sent"
    }
      + new.map {
        "destination \($0) is new: what the log holds is sent to it from the oldest on, up to \(StatusText.counted(status.count, "record"))"
      }
  }

  /// Drops what waits, where no logger runs. With `forgets` the log knows the destinations no more.
  static func drop(_ names: [String], _ storage: StorageSettings, forgets: Bool = false) throws {
    let writer = LogWriter(
      directory: storage.directory, allowVolatile: storage.allowsVolatile,
      options: LogOptions(bootID: ProcessSurroundings.bootIdentity, clock: { SystemClock.moment() }))
    var replies: [LogWriter.Reply] = []
    for name in names {
      let answers = writer.handle(.drop(destination: name, forgets: forgets))
      replies += answers
      for case .dropped(_, let count) in answers.map(\.answer) {
        let record = LogRecord(
          moment: SystemClock.moment(), time: nil, timeQuality: .none,
          body: .event(EventRecord(dropped: count, waitingFor: name)))
        replies += writer.handle(.append([record], urgent: true))
      }
    }
    replies += writer.handle(.close)
    for case .refused(let error) in replies.map(\.answer) { throw notDropped("\(error)") }
    for case .failing(let reason, _, _) in replies.map(\.answer) { throw notDropped(reason) }
  }

  private static func notDropped(_ reason: String) -> LocalCall.Refusal {
    LocalCall.Refusal(description: "what waits could not be dropped and is kept: \(reason)")
  }
}
