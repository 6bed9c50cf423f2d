import Quantities
import Store
import System

/// The identities that are sent with records: that of the log and that of the installation.
struct LogIdentities {
  /// The host at the start of the program.
  let host: MachineIdentity
  /// The UUID of the log; nil before it is open.
  private(set) var log: String?
  private var installation: InstallationIdentity?

  init(host: MachineIdentity) { self.host = host }

  /// The identity of the installation; nil before the log is open, and without a machine-id.
  var uniqueID: String? { installation?.uniqueID }

  /// Takes over the identities of the opened log; one that is missing is made. Returns what must be saved before any record is
  /// sent, in this order.
  mutating func take(_ report: OpeningReport) -> [(SavedStateKey, String)] {
    let known = report.savedStates[.logID]
    let text = report.savedStates[.installation]
    installation = InstallationIdentity.decide(
      stored: text.flatMap { InstallationIdentity($0) } ?? installation,
      isNewLog: known == nil && report.hasNoPast, host: host)
    log = known ?? log ?? UUIDText.random()
    var saved: [(SavedStateKey, String)] = []
    // First, because an older log is known by its UUID.
    if let new = installation?.text, new != text { saved.append((.installation, new)) }
    if known == nil, let log { saved.append((.logID, log)) }
    return saved
  }

  /// Returns the change that is to be reported, with what is saved together with its event; nil for none.
  mutating func takeChange() -> (change: InstallationIdentity.Change, saved: String)? {
    guard let now = installation, let change = now.unreported else { return nil }
    installation = now.reported
    return (change, now.reported.text)
  }
}

extension OpeningReport {
  /// True for a new log, and for one whose saved texts may be lost.
  fileprivate var hasNoPast: Bool {
    switch condition {
    case .created, .salvaged: true
    case .clean, .unclean: lastID == .zero
    }
  }
}
