import Records

/// What the log knew of the destinations that were registered.
public struct RegistrationReport: Equatable, Sendable {
  /// Those that it has not known before: all that it holds waits for them. In the order of their names.
  public var new: [LogStatus.Destination] = []
  /// Destinations that it knows and that are not registered any more: nothing is held back from retention for them.
  public var unserved: [String] = []
  /// The last record that waits for the new ones.
  public var through = RecordID.zero
}
