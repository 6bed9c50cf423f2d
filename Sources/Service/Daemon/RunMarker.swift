import Glibc
import Quantities
import Records
import System

/// A note that a run of the program leaves for the next one: version, boot ID, and if the run ended by an orderly stop.
///
/// It explains the start of the next run. If the boot ID differs, the power was cut, the host stopped without notice, or its
/// hardware watchdog reset it, which ``HardwareWatchdog`` reports. If it is the same, the watchdog ended the run
/// or it crashed, which ``LastSignal`` records; a kill leaves no trace.
struct RunMarker: Equatable {
  var version: String
  /// The boot ID of the kernel; empty if it is unknown.
  var bootID: String
  /// True after an orderly stop.
  var hasEnded: Bool

  init(version: String, bootID: String, hasEnded: Bool) {
    self.version = version
    self.bootID = bootID
    self.hasEnded = hasEnded
  }

  /// The note of this run.
  init(hasEnded: Bool) {
    self.init(version: Release.version, bootID: ProcessEnvironment.bootIdentity, hasEnded: hasEnded)
  }

  /// The note in its stored form; nil for any other text.
  init?(_ text: String) {
    let fields = text.split(separator: "\t", omittingEmptySubsequences: false)
    guard fields.count == 4, fields[0] == "1", ["ended", "running"].contains(fields[3]) else { return nil }
    self.init(version: String(fields[1]), bootID: String(fields[2]), hasEnded: fields[3] == "ended")
  }

  /// The stored form: format version, version, boot ID and state, separated by tabs.
  var text: String { ["1", version, bootID, hasEnded ? "ended" : "running"].joined(separator: "\t") }

  /// The end of the previous run, as the fields of the event ``EventKind/started``.
  /// `signal` is the signal that ended it, if that is known. `watchdogReset` is true if the hardware watchdog reset the
  /// host before this boot.
  func fields(
    after before: RunMarker?, isNewLog: Bool, signal: LastSignal? = nil, watchdogReset: Bool
  ) -> EventFields {
    guard let before else { return [.cause: isNewLog ? "first_start" : "unknown"] }
    var fields: EventFields = before.version == version ? [:] : [.previousVersion: .text(before.version)]
    if before.hasEnded {
      fields[.cause] = before.version == version ? "orderly_stop" : "update"
    } else if let signal {
      fields[.cause] = signal.cause
      fields[.signal] = .text(signal.name)
    } else if bootID.isEmpty || before.bootID.isEmpty {
      fields[.cause] = "no_notice"
    } else if before.bootID == bootID {
      fields[.cause] = "killed"
    } else {
      fields[.cause] = watchdogReset ? "host_watchdog" : "power_loss"
    }
    return fields
  }
}

extension LastSignal {
  /// The sender of the signal, as a field of an event.
  fileprivate var cause: EventValue {
    switch sender {
    case .fault: "crash"
    case .supervisor where number == SIGABRT: "watchdog"
    case .supervisor: "supervisor"
    case .other: "other_program"
    }
  }
}
