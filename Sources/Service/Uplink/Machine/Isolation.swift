import Records

/// The search for a record that the server rejects: the rejected batch is halved until one record remains.
///
/// A record that is rejected alone becomes a suspect. It is set aside if the server then accepts a later record and
/// rejects the suspect again. While the server accepts no record, the fault may be the server's.
struct Isolation: Equatable, Sendable {
  /// The number of rejections of a batch's content before it is cut.
  static let rejectionsBeforeCut = 3
  /// The number of rejections of a single record before it becomes a suspect.
  static let rejectionsAlone = 2
  /// The number of rejections of a single record if there is no other record to try.
  static let rejectionsAtTheEnd = 4
  /// The number of consecutive suspects after which the fault is attributed to the server.
  static let mostSuspects = 16

  /// A record that was rejected alone.
  struct Suspect: Equatable, Sendable {
    var batch: LoadedBatch
    var refusal: Refusal
    /// True if it was rejected again after the server had accepted another; nil if not tried again yet.
    var isRefusedAgain: Bool?

    var through: RecordID { batch.through }
  }

  /// The number of records, from the oldest on, that contain the rejected one.
  var remaining: Int
  /// True if the server has accepted a record since the search began.
  var hasEvidence = false
  /// The records that were rejected alone, oldest first.
  var suspects: [Suspect] = []
  /// The record after the suspects that the server has accepted. It is acknowledged together with them.
  var probe: LoadedBatch?

  /// The number of records to send next.
  var next: Int { suspects.isEmpty ? max(remaining / 2, 1) : 1 }

  /// The index of the next suspect to send again.
  var unconfirmed: Int? {
    probe == nil ? nil : suspects.firstIndex { $0.isRefusedAgain == nil }
  }

  mutating func subtract(passed count: Int) { remaining = max(remaining - count, 0) }
}
