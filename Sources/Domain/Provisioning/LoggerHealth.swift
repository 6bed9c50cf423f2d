/// What a run of the logger has achieved, as far as an upgrade can change it.
public struct LoggerHealth: Equatable, Sendable {
  /// The delivery to a server.
  public struct Delivery: Equatable, Sendable {
    /// True if the server accepted records of this run, or all records of the log.
    public var works: Bool
    /// The number of the last record that the server acknowledged; 0 if none.
    public var acknowledgedID: Int
    /// The reason why the last attempt failed; nil if it did not.
    public var fault: String?

    public init(works: Bool, acknowledgedID: Int, fault: String? = nil) {
      (self.works, self.acknowledgedID, self.fault) = (works, acknowledgedID, fault)
    }
  }

  /// True if it stored a location.
  public var hasLocations: Bool
  /// Why no location can be expected, whatever the version; nil if one can.
  public var noLocationCause: String?
  /// The servers by name. A destination that is no server proves nothing.
  public var servers: [String: Delivery]
  /// True if the host has no way to a server elsewhere.
  public var isOffline: Bool
  /// The number of the newest durable record.
  public var lastID: Int
  /// The reason why the log cannot be written; nil while it can.
  public var storageFault: String?

  public init(
    hasLocations: Bool = false, noLocationCause: String? = nil, servers: [String: Delivery] = [:],
    isOffline: Bool = false, lastID: Int = 0, storageFault: String? = nil
  ) {
    (self.hasLocations, self.noLocationCause) = (hasLocations, noLocationCause)
    (self.servers, self.isOffline) = (servers, isOffline)
    (self.lastID, self.storageFault) = (lastID, storageFault)
  }

  /// What a sound logger would do and this one does not; empty if it is healthy.
  public var faults: [String] {
    var faults = storageFault.map { ["the log cannot be written: \($0)"] } ?? []
    if !hasLocations { faults.append("no location stored" + (noLocationCause.map { ": \($0)" } ?? "")) }
    let failing = servers.filter { !$0.value.works }.sorted { $0.key < $1.key }
    return faults
      + failing.map { "nothing delivered to \($0.key)" + ($0.value.fault.map { ": \($0)" } ?? "") }
  }
}
