/// What a run of the program leaves to the next: its version, its boot of the machine, and whether it ended in good order.
///
/// It tells why the program starts, as far as the box can know: what ended in a boot that is over had its power cut, or a
/// machine that stopped without notice; what ended in this one crashed, was killed, or was ended by the supervisor's
/// watchdog, which leaves no trace of its own.
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
  func reason(after before: RunNote?, isNewLog: Bool) -> String {
    guard let before else {
      return isNewLog ? "the first start with this log" : "nothing tells of the run before"
    }
    let update = before.version == version ? "" : "update from \(before.version), "
    if before.hasEnded { return update + "after an orderly stop" }
    if bootID.isEmpty || before.bootID.isEmpty { return update + "the run before ended without notice" }
    return update
      + (before.bootID == bootID
        ? "the run before ended without notice: a crash, a kill or the watchdog"
        : "the power was cut, or the machine stopped without notice")
  }
}
