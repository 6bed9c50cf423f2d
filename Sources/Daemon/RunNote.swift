import Glibc
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

  /// How the run `before` ended, as this one sees it; nil for no trace of any.
  /// `signal` is the word that it left.
  func reason(after before: RunNote?, isNewLog: Bool, signal: LastSignal? = nil) -> String {
    guard let before else {
      return isNewLog ? "the first start with this log" : "nothing tells of the run before"
    }
    let update = before.version == version ? "" : "update from \(before.version), "
    if before.hasEnded { return update + "after an orderly stop" }
    if let signal { return update + signal.words }
    if bootID.isEmpty || before.bootID.isEmpty { return update + "the run before ended without notice" }
    return update
      + (before.bootID == bootID
        ? "the run before ended without notice, as by a kill or for want of memory"
        : "the power was cut, or the machine stopped without notice")
  }
}

extension LastSignal {
  /// How it ended the run before.
  var words: String {
    switch sender {
    case .fault: "the run before crashed (\(name))"
    case .supervisor where number == SIGABRT:
      "the run before was ended by its supervisor with SIGABRT, as the watchdog does"
    case .supervisor: "the run before was ended by its supervisor with \(name)"
    case .other: "the run before was ended by another program with \(name)"
    }
  }
}
