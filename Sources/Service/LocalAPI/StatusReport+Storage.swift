extension StatusReport {
  /// The storage medium of the log: what is written, and how far it is worn.
  public struct Storage: Codable, Equatable, Sendable {
    /// The disk's name, as in `mmcblk0`.
    public var disk: String?
    /// The bytes that the logger writes per day, by cause: `log` with its write-ahead log, `files` of destinations,
    /// `other`. The average of the last week; absent during the first hour.
    public var written_bytes_day: [String: Int]?
    /// The bytes that all programs write per day to the file system of the log; absent if it does not count them.
    public var medium_bytes_day: Int?
    /// The bytes written to the file system since it was created; absent if it does not count them.
    public var medium_bytes_lifetime: Int?
    /// The share of the logger in all writes, in percent.
    public var own_percent: Int?
    /// The used share of the medium's life, in percent; absent if the medium does not report it and
    /// `storage.endurance` is not set.
    public var used_percent: Int?
    /// The origin of ``used_percent``: medium or endurance.
    public var used_by: String?
    /// The days until `storage.endurance` is used up at the present rate.
    public var days_left: Int?

    public init() {}
  }
}
