import Glibc
import Quantities
import Store
import System

/// Durable enqueueing through the store's writer, compared with the `sqlite3` shell committing the same rows.
enum QueueMeasurement {
  private static let groups = 500
  private static let size = 60
  private static let repeats = 5

  static func run(in directory: String) throws -> [Measurement] {
    let name = "queue, groups of \(size)"
    let log = directory + "/queue"
    try write(groups: groups, of: size, into: log)
    let shell =
      ChildProcess.exists("sqlite3") ? try ShellQueue(copying: log, groups: size, in: directory) : nil
    var own = Duration.seconds(3600)
    var other = Duration.seconds(3600)
    for turn in 0..<repeats {
      let path = "\(log)-\(turn)"
      // Both write to an existing file.
      try write(groups: 0, of: size, into: path)
      let start = SystemClock.moment()
      try write(groups: groups, of: size, into: path)
      own = min(own, SystemClock.moment() - start)
      if let shell { other = min(other, try shell.run(into: "\(directory)/shell-\(turn).db")) }
    }
    let rate = Double(groups * size) / own.inSeconds
    guard shell != nil else {
      return [Measurement(name, rate, unit: "records/s", wanted: "0.7", note: "sqlite3 is missing")]
    }
    return [
      Measurement(
        name, rate, unit: "records/s", reference: Double(groups * size) / other.inSeconds, wanted: "0.7",
        note: "\(groups) groups from opening to closing, the best of \(repeats); reference: the sqlite3 shell"
      )
    ]
  }

  /// Opens a log, writes groups of records to it with one commit per group, and closes it.
  static func write(groups: Int, of size: Int, into directory: String) throws {
    let writer = LogWriter(directory: directory, allowVolatile: true, options: SampleDrive.logOptions)
    var replies = writer.handle(.retry)
    let records = SampleDrive.records(size)
    for _ in 0..<groups { replies += writer.handle(.append(records, urgent: false)) }
    replies += writer.handle(.close)
    for reply in replies {
      switch reply.answer {
      case .refused(let error): throw error
      case .failing(let reason, _, _): throw BenchError(reason)
      case _: break
      }
    }
  }
}
