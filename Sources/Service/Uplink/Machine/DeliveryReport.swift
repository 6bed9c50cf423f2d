import Records

/// A change of a delivery that is reported to the journal and stored as an event.
///
/// An outage is reported when it starts and when it ends, see ``OutageReports``. Every record that is set aside is reported.
public enum DeliveryReport: Equatable, Sendable {
  /// The first failure of an outage. Without `isRetried`, sending is off: the next attempt needs a request.
  case failing(Refusal, isRetried: Bool)
  /// The end of an outage with `failures` failed attempts.
  case recovered(failures: Int)
  /// A record that the server rejects on its own. It is not sent again and stays in the log. `from` is the first number of
  /// its batch, whose other numbers are hidden; nil for late records.
  case setAside(RecordID, Refusal, from: RecordID?)
  /// The first response that was accepted without a confirmation in the body, because any 2xx is a success.
  case unconfirmed(String)
}

extension EventRecord {
  /// The event of a report about `destination`.
  public init(_ report: DeliveryReport, of destination: String) {
    let name = EventValue.text(destination)
    switch report {
    case .failing(let refusal, let isRetried):
      var fields: EventFields = [
        .destination: name, .cause: .text(refusal.kind.field), .reason: .text(refusal.reason),
      ]
      if !isRetried { fields[.isOnRequest] = true }
      self.init(refusal.kind == .unrouted ? .deliveryDoubtful : .deliveryFailing, fields)
    case .recovered(let failures):
      self.init(.deliveryRecovered, [.destination: name, .failures: .integer(Int64(failures))])
    case .setAside(let id, let refusal, let from):
      var fields: EventFields = [
        .destination: name, .record: .integer(id.rawValue), .cause: .text(refusal.kind.field),
        .reason: .text(refusal.reason),
      ]
      if let from, from < id { fields[.count] = .integer(id.rawValue - from.rawValue + 1) }
      self.init(.recordSetAside, fields)
    case .unconfirmed(let reason):
      self.init(.deliveryDoubtful, [.destination: name, .cause: "unconfirmed", .reason: .text(reason)])
    }
  }
}

extension Refusal.Kind {
  /// The word for it among the fields of an event.
  fileprivate var field: String {
    switch self {
    case .unreachable: "unreachable"
    case .outcomeUnknown: "no_complete_response"
    case .configuration: "configuration"
    case .credentials: "credentials"
    case .wrongAddress: "wrong_address"
    case .busy: "busy"
    case .tooLarge: "too_large"
    case .content: "content"
    case .redirected: "redirected"
    case .notConfirmed: "not_confirmed"
    case .unrouted: "no_subscriber"
    }
  }
}
