import Records

/// A change of a delivery that is reported to the journal and stored as an event.
///
/// A series of failures is reported when it starts and when it ends. Every record that is set aside is reported.
public enum DeliveryReport: Equatable, Sendable {
  /// The first failure after a success.
  case failing(Refusal)
  /// The first success after `failures` failed attempts.
  case recovered(failures: Int)
  /// A record that the server rejects on its own. It is not sent again and stays in the log.
  case setAside(RecordID, Refusal)
  /// The first response that was accepted without a confirmation in the body, because any 2xx is a success.
  case odd(String)

  /// The report in one line, for the journal and for the event.
  public func message(destination: String) -> String {
    switch self {
    case .failing(let refusal):
      "upload \(destination): \(refusal.reason); records stay queued, delivery is retried"
    case .recovered(let failures):
      "upload \(destination): delivery resumed after \(failures) failed "
        + (failures == 1 ? "attempt" : "attempts")
    case .setAside(let id, let refusal):
      "upload \(destination): record \(id.rawValue) set aside, the server rejects it and accepts others: "
        + refusal.reason
    case .odd(let reason):
      "upload \(destination): \(reason); verify that the server stores the records"
    }
  }
}
