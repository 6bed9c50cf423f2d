/// The turns for the worse and for the better that are worth a message: one each, however often
/// an attempt fails.
public enum DeliveryReport: Equatable, Sendable {
  /// The first failure since all was well.
  case failing(Refusal)
  /// The first success after `failures` failed attempts.
  case recovered(failures: Int)

  /// One line for the log and for people.
  public func message(destination: String) -> String {
    switch self {
    case .failing(let refusal):
      "destination \(destination): \(refusal.reason); the records are kept and sent again"
    case .recovered(let failures):
      "destination \(destination): takes records again after \(failures) failed "
        + (failures == 1 ? "attempt" : "attempts")
    }
  }
}
