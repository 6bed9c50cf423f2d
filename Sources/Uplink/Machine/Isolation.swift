import Records

/// The search for a record that the server does not like: the refused batch is halved until the record stands alone.
///
/// Alone it comes under suspicion. It is set aside only if the server then takes a record behind it and refuses the
/// suspect once more: as long as the server takes nothing, the fault may as well lie with the server.
struct Isolation: Equatable, Sendable {
  /// How often a batch must be refused for its content before it is cut.
  static let patience = 3
  /// How often a record that stands alone must be refused to be suspected.
  static let patienceAlone = 2
  /// The same when no other record is there to try.
  static let patienceAtTheEnd = 4
  /// How many records are refused alone, one after the other, before the fault is taken to be the server's.
  static let mostSuspects = 16

  /// A record that was refused alone.
  struct Suspect: Equatable, Sendable {
    var batch: LoadedBatch
    var refusal: Refusal
    /// Refused again after the server had taken another; nil: not tried again yet.
    var isRefusedAgain: Bool?

    var through: RecordID { batch.through }
  }

  /// How many records, from the oldest on, hold the one that is searched.
  var remaining: Int
  /// The server has taken something since the trouble began.
  var hasEvidence = false
  /// Refused alone, oldest first.
  var suspects: [Suspect] = []
  /// The record behind the suspects that the server has taken; acknowledged together with them.
  var probe: LoadedBatch?

  /// How many records to send next.
  var next: Int { suspects.isEmpty ? max(remaining / 2, 1) : 1 }

  /// The suspect to be tried again next.
  var unconfirmed: Int? {
    probe == nil ? nil : suspects.firstIndex { $0.isRefusedAgain == nil }
  }

  mutating func note(passed count: Int) { remaining = max(remaining - count, 0) }
}
