import Records

/// What is worth a message: a turn for the worse and one for the better, however often an attempt fails, and each record
/// that is given up.
public enum DeliveryReport: Equatable, Sendable {
  /// The first failure since all was well.
  case failing(Refusal)
  /// The first success after `failures` failed attempts.
  case recovered(failures: Int)
  /// A record that the server refuses by itself is not sent any more; it stays in the log.
  case setAside(RecordID, Refusal)
  /// The first answer that is success only because any 2xx is.
  case odd(String)

  /// One line for the log and for people.
  public func message(destination: String) -> String {
    switch self {
    case .failing(let refusal):
      "destination \(destination): \(refusal.reason); records stay queued, delivery is retried"
    case .recovered(let failures):
      "destination \(destination): delivery resumed after \(failures) failed "
        + (failures == 1 ? "attempt" : "attempts")
    case .setAside(let id, let refusal):
      "destination \(destination): record \(id.rawValue) set aside, the server rejects it and accepts others: "
        + refusal.reason
    case .odd(let reason):
      "destination \(destination): \(reason); verify that the server stores the records"
    }
  }
}
