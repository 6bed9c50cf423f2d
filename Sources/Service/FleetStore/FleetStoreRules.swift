import FleetPolicy

/// The rules of a ``FleetStore``.
public struct FleetStoreRules: Equatable, Sendable {
  /// Connections that commit groups. Two more serve questions and jobs.
  public var connections: Int
  public var group: GroupRules
  public var intake: IntakeRules
  /// The width of partitions of locations; by month below a million points a day.
  public var locationPartitions: PartitionWidth
  public var retention: Retention
  /// The times of groups that fail without a fault of theirs.
  public var mostAttempts: Int
  /// The new devices of an enrolment token within an hour; a leaked one must not fill the table of devices.
  public var enrolments: Int
  /// The time after which a request to the database is abandoned.
  public var requestTime: Duration

  public init(
    connections: Int = 4, group: GroupRules = GroupRules(), intake: IntakeRules = IntakeRules(),
    locationPartitions: PartitionWidth = .day, retention: Retention = Retention(), mostAttempts: Int = 5,
    enrolments: Int = 100, requestTime: Duration = .seconds(30)
  ) {
    self.connections = connections
    self.group = group
    self.intake = intake
    self.locationPartitions = locationPartitions
    self.retention = retention
    self.mostAttempts = mostAttempts
    self.enrolments = enrolments
    self.requestTime = requestTime
  }
}

/// Counts since the start, for metrics.
public struct FleetStoreCounts: Equatable, Sendable {
  public var stored = 0
  public var known = 0
  public var expired = 0
  /// Uploads that can never be stored.
  public var rejected = 0
  /// Uploads that were not stored because of the database.
  public var unavailable = 0
  /// Devices that were created by an enrolment token, and uploads that had to wait because of its limit.
  public var enrolled = 0
  public var enrolmentsLimited = 0
  public var groups = 0
  public var failedGroups = 0
  public var connections = 0
  /// The rows of committed groups.
  public var groupRows = Histogram(limits: [1, 10, 50, 100, 500, 1000, 2000, 5000, 10_000])
  /// The time from sending a group to its commit, in seconds.
  public var commitSeconds = Histogram(limits: [
    0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
  ])

  public init() {}

  /// A histogram as Prometheus has it, with cumulative counts.
  public struct Histogram: Equatable, Sendable {
    /// The upper limits, included.
    public let limits: [Double]
    /// The number of values up to each limit.
    public private(set) var counts: [Int]
    public private(set) var count = 0
    public private(set) var sum = 0.0

    public init(limits: [Double]) {
      self.limits = limits
      counts = limits.map { _ in 0 }
    }

    public mutating func add(_ value: Double) {
      count += 1
      sum += value
      for (index, limit) in limits.enumerated() where value <= limit { counts[index] += 1 }
    }
  }
}

/// A condition that an administrator must know.
public enum FleetNotice: Equatable, Sendable, CustomStringConvertible {
  case databaseLost(reason: String)
  case databaseReturned
  case groupFailed(reason: String)
  case uploadRejected(device: String, reason: String)
  case jobFailed(job: String, reason: String)

  public var description: String {
    switch self {
    case .databaseLost(let reason): "database: \(reason); devices keep their records"
    case .databaseReturned: "database: connected"
    case .groupFailed(let reason): "database: \(reason); devices keep their records"
    case .uploadRejected(let device, let reason): "device \(device): upload rejected: \(reason)"
    case .jobFailed(let job, let reason): "job \(job): \(reason)"
    }
  }
}
