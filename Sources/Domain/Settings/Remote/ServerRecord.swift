import Quantities

/// The stored form of ``ServerChanges`` between two starts.
public struct ServerRecord: Codable, Equatable, Sendable {
  /// A value of one setting, in force or rolled back.
  struct Value: Codable, Equatable, Sendable {
    var key: ServerKey
    /// The value; nil if not set.
    var value: String?
    /// The number of times that it was rolled back; nil for none.
    var failures: Int?
    /// The destination whose server set it; nil if unknown.
    var by: String?
    /// True if the server has requested another value since this one was rolled back; nil unless it was.
    var changed: Bool?
  }

  /// The trial of one key or, in the format of old versions, of several.
  struct Trial: Codable, Equatable, Sendable {
    var by: String
    var after_record: Int64
    var lasted_ms: Int64
    var before: [Value]
    var brief_starts: Int
    /// The part of ``lasted_ms`` in which the host was up; nil in the format of old versions: all of it.
    var awake_ms: Int64?
    /// The start in UTC and the origin of that time; nil while it is unknown.
    var started_ms: Int64?
    var started_quality: String?
    /// The planned contacts without a proof; nil for none.
    var missed_contacts: Int?

    /// The start in UTC; nil if it is unknown.
    var start: WallTime? {
      guard let started_ms,
        let quality = ClockQuality.allCases.first(where: { "\($0.word)" == started_quality })
      else { return nil }
      return WallTime(Timestamp(milliseconds: started_ms), quality)
    }
  }

  /// The last response of a destination.
  struct Contact: Codable, Equatable, Sendable {
    var destination: String
    var ago_ms: Int64
  }

  var values: [Value] = []
  var trials: [Trial]?
  /// The trial of all keys together in the format of old versions; read, but no longer written.
  var trial: Trial?
  var failures: [Value] = []
  var contacts: [Contact] = []
  /// The requests that the rate limit postpones; nil for none. One without a value removes the value.
  var waiting: [Value]?
  /// The time since the last check-in without a response; nil for none.
  var checked_in_ms: Int64?
  /// The time of writing: the boot with its clock, and the system time.
  var boot = ""
  var moment_ms: Int64 = 0
  var utc_ms: Int64 = 0

  /// Creates a record without values.
  public init() {}

  /// The trials per key, including those of the old format.
  var everyTrial: [Trial] { (trials ?? []) + [trial].compactMap { $0 } }

  /// The destination whose server set each value, if known. A value on trial was set by the server that must prove it.
  var setters: [ServerKey: String] {
    var setters: [ServerKey: String] = [:]
    for entry in values where setters[entry.key] == nil { setters[entry.key] = entry.by }
    for trial in everyTrial {
      for entry in trial.before { setters[entry.key] = trial.by }
    }
    return setters
  }

  /// Removes the values that servers have set at these paths, and returns their keys.
  public mutating func forget(_ paths: Set<String>) -> [ServerKey] {
    let gone = values.filter { $0.value != nil && paths.contains($0.key.path) }.map(\.key)
    values.removeAll { paths.contains($0.key.path) }
    failures.removeAll { paths.contains($0.key.path) }
    waiting?.removeAll { paths.contains($0.key.path) }
    for index in trials?.indices ?? 0..<0 { trials?[index].before.removeAll { paths.contains($0.key.path) } }
    trials?.removeAll(where: \.before.isEmpty)
    trial?.before.removeAll { paths.contains($0.key.path) }
    return gone.sorted()
  }

  /// The earliest plausible system time (2024-01-01).
  private static let earliestUTC: Int64 = 1_704_067_200_000
  private static let longestLapse = Duration.seconds(400 * 86_400)

  /// The time since the record was written. Between two boots it is that of the system clock if it is plausible, and at
  /// least the uptime of the present boot.
  func lapse(now: Moment, boot: String, utc: Timestamp) -> Duration {
    let uptime = timeAwake(now: now, boot: boot)
    if self.boot == boot, !boot.isEmpty { return uptime }
    guard utc_ms >= Self.earliestUTC, utc.milliseconds >= utc_ms else { return uptime }
    let passed = Duration.milliseconds(
      utc.milliseconds.subtractingReportingOverflow(utc_ms).partialValue)
    return min(max(passed, uptime), Self.longestLapse)
  }

  /// The time since the record was written in which the host was up: that of the boot clock, or the uptime in another boot.
  func timeAwake(now: Moment, boot: String) -> Duration {
    let uptime = Duration.milliseconds(max(now.nanoseconds / 1_000_000, 0))
    guard self.boot == boot, !boot.isEmpty else { return uptime }
    return min(max(uptime - .milliseconds(moment_ms), .zero), Self.longestLapse)
  }
}
