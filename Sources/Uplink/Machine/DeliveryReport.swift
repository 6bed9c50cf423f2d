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
      "destination \(destination): \(refusal.reason); the records are kept and sent again"
    case .recovered(let failures):
      "destination \(destination): takes records again after \(failures) failed "
        + (failures == 1 ? "attempt" : "attempts")
    case .setAside(let id, let refusal):
      "destination \(destination): record \(id.rawValue) is set aside, for the server refuses it alone and takes others: "
        + refusal.reason
    case .odd(let reason):
      "destination \(destination): \(reason); check that the server keeps what it is sent"
    }
  }
}
