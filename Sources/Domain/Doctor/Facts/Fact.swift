/// A fact about the system, or the reason why it is unknown.
public enum Fact<Value> {
  case known(Value)
  /// The system has no such thing.
  case absent
  /// The reason why it cannot be known, such as a missing permission.
  case hidden(String)

  public var value: Value? {
    if case .known(let value) = self { value } else { nil }
  }

  /// The finding for a fact without value.
  func skipped(ifAbsent reason: String) -> Finding {
    if case .hidden(let cause) = self { .skipped(cause) } else { .skipped(reason) }
  }
}

extension Fact: Equatable where Value: Equatable {}
extension Fact: Sendable where Value: Sendable {}
