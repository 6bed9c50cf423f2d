import Records

extension EventFields {
  /// The count of one reason among the rejected or dropped fixes; 0 if it is not among them.
  public func rejected(_ reason: String) -> Int64 {
    guard case .counts(let counts)? = self[.rejections] else { return 0 }
    return counts[reason] ?? 0
  }
}
