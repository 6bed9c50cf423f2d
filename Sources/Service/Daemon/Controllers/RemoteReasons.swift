import Records
import Settings

// Why a value of a server no longer applies, in words and in the fields of an event.
extension ServerChanges.Reason {
  /// The reason for people.
  var text: String {
    switch self {
    case .unproven: "no location recorded under it was acknowledged within remote.max_silence"
    case .missedContacts:
      "no location recorded under it was acknowledged in \(ServerChanges.mostMissedContacts) planned contacts"
    case .crashes: "the logger ended repeatedly soon after its start"
    case .mayNotSet(let objection): "\(objection)"
    case .unset: "unset by the operator (outrider set --unset)"
    }
  }

  private var cause: String {
    switch self {
    case .unproven: "not_proven"
    case .missedContacts: "missed_contacts"
    case .crashes: "crashes"
    case .mayNotSet: "not_allowed"
    case .unset: "unset"
    }
  }

  var fields: EventFields { [.cause: .text(cause), .reason: .text(text)] }

  /// The removal of a value by the server that has set it.
  static let unsetText = "unset by its server"
}
