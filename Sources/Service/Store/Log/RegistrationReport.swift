import Records

/// The difference between the registered destinations and those known to the log.
public struct RegistrationReport: Equatable, Sendable {
  /// New destinations, sorted by name; the whole log is queued for them.
  public var new: [LogStatus.Destination] = []
  /// Known destinations that are no longer registered; retention may delete records that are queued for them.
  public var unserved: [String] = []
  /// The last record that is queued for the new destinations.
  public var through = RecordID.zero
  /// The records that destinations hold and have not set aside, by destination.
  public var held: [String: [HeldRecord]] = [:]
}
