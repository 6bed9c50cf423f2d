import Glibc
import Records
import SystemLoop

/// What a run of the program leaves to the next: its version, its boot of the machine, and whether it ended in good order.
///
/// It tells why the program starts, as far as the box can know: what ended in a boot that is over had its power cut, or a
/// machine that stopped without notice; what ended in this one was ended by its supervisor's watchdog, or crashed, where
/// it left a word of that (``SystemLoop/LastSignal``), else killed, which leaves none.
struct RunNote: Equatable {
  var version: String
  /// Of the kernel; empty where it does not tell.
  var bootID: String
  var hasEnded: Bool

  init(version: String, bootID: String, hasEnded: Bool) {
    self.version = version
    self.bootID = bootID
    self.hasEnded = hasEnded
  }

  /// Nil for a text that is none.
  init?(_ text: String) {
    let words = text.split(separator: "\t", omittingEmptySubsequences: false)
    guard words.count == 4, words[0] == "1", ["ended", "running"].contains(words[3]) else { return nil }
    self.init(version: String(words[1]), bootID: String(words[2]), hasEnded: words[3] == "ended")
  }

  var text: String { ["1", version, bootID, hasEnded ? "ended" : "running"].joined(separator: "\t") }

  /// The end of the previous run, as the fields of the event ``EventKind/started``.
  /// `signal` is the signal that ended it, if that is known.
  func fields(after before: RunNote?, isNewLog: Bool, signal: LastSignal? = nil) -> EventFields {
    guard let before else { return [.cause: isNewLog ? "first_start" : "unknown"] }
    var fields: EventFields = before.version == version ? [:] : [.previousVersion: .text(before.version)]
    if before.hasEnded {
      fields[.cause] = "orderly_stop"
    } else if let signal {
      fields[.cause] = signal.cause
      fields[.signal] = .text(signal.name)
    } else if bootID.isEmpty || before.bootID.isEmpty {
      fields[.cause] = "no_notice"
    } else {
      fields[.cause] = before.bootID == bootID ? "killed" : "power_loss"
    }
    return fields
  }
}

extension LastSignal {
  /// Its sender, as a field of an event.
  fileprivate var cause: EventValue {
    switch sender {
    case .fault: "crash"
    case .supervisor where number == SIGABRT: "watchdog"
    case .supervisor: "supervisor"
    case .other: "other_program"
    }
  }
}
