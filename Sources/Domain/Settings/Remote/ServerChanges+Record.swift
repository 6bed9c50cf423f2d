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
  /// The values that the rate limit postpones; nil for none.
  var waiting: [Value]?
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
}

extension ServerChanges {
  /// The record for the next start. `utc` is the system time, which is used only if it is plausible.
  public func record(now: Moment, boot: String, utc: Timestamp) -> ServerRecord {
    var record = ServerRecord()
    record.values = values.sorted { $0.key < $1.key }.map {
      .init(key: $0.key, value: $0.value, by: setters[$0.key])
    }
    record.trials = trials.sorted { $0.key < $1.key }.map { key, trial in
      ServerRecord.Trial(
        by: trial.by, after_record: trial.afterRecord, lasted_ms: (now - trial.since).wholeMilliseconds,
        before: [.init(key: key, value: trial.before, by: trial.beforeBy)], brief_starts: trial.briefStarts)
    }
    record.failures = failures.sorted { $0.key < $1.key }.map {
      .init(
        key: $0.key, value: $0.value.value, failures: $0.value.count, by: $0.value.by,
        changed: $0.value.mayBeRetried ? true : nil)
    }
    let waits = waiting.sorted { ($0.key.key, $0.key.destination) < ($1.key.key, $1.key.destination) }
    record.waiting =
      waits.isEmpty
      ? nil : waits.map { .init(key: $0.key.key, value: $0.value, by: $0.key.destination) }
    record.contacts = rules.silenced.sorted().map { name in
      .init(destination: name, ago_ms: (now - (contacts[name] ?? begin)).wholeMilliseconds)
    }
    (record.boot, record.moment_ms) = (boot, now.nanoseconds / 1_000_000)
    record.utc_ms = utc.milliseconds
    return record
  }

  /// Restores the state of a record. The time between two boots is that of the system clock if it is plausible, and at
  /// least the uptime of the present boot.
  public init(_ record: ServerRecord, rules: Rules = Rules(), now: Moment, boot: String, utc: Timestamp) {
    self.init(rules: rules, now: now)
    let lapse = Self.lapse(since: record, now: now, boot: boot, utc: utc)
    values = Dictionary(
      record.values.compactMap { entry in entry.value.map { (entry.key, $0) } },
      uniquingKeysWith: { first, _ in first })
    setters = record.setters.filter { values[$0.key] != nil }
    failures = Dictionary(
      record.failures.compactMap { entry in
        entry.value.map {
          let count = max(entry.failures ?? 1, 1)
          return (
            entry.key,
            Failure(value: $0, count: count, by: entry.by, mayBeRetried: entry.changed ?? false)
          )
        }
      }, uniquingKeysWith: { first, _ in first })
    for entry in record.waiting ?? [] {
      guard let value = entry.value, let by = entry.by else { continue }
      waiting[Changer(key: entry.key, destination: by)] = value
    }
    for contact in record.contacts {
      contacts[contact.destination] = now - (.milliseconds(max(contact.ago_ms, 0)) + lapse)
    }
    for kept in record.everyTrial {
      let since = now - (.milliseconds(max(kept.lasted_ms, 0)) + lapse)
      for entry in kept.before where trials[entry.key].map({ since < $0.since }) ?? true {
        trials[entry.key] = Trial(
          since: since, by: kept.by, afterRecord: kept.after_record, before: entry.value,
          beforeBy: entry.by, briefStarts: max(kept.brief_starts, 0) &+ 1)
      }
    }
  }

  /// The earliest plausible system time (2024-01-01).
  private static let earliestUTC: Int64 = 1_704_067_200_000
  private static let longestLapse = Duration.seconds(400 * 86_400)

  private static func lapse(since record: ServerRecord, now: Moment, boot: String, utc: Timestamp) -> Duration
  {
    let uptime = Duration.milliseconds(max(now.nanoseconds / 1_000_000, 0))
    if record.boot == boot, !boot.isEmpty {
      return min(max(uptime - .milliseconds(record.moment_ms), .zero), longestLapse)
    }
    guard record.utc_ms >= earliestUTC, utc.milliseconds >= record.utc_ms else { return uptime }
    let passed = Duration.milliseconds(
      utc.milliseconds.subtractingReportingOverflow(record.utc_ms).partialValue)
    return min(max(passed, uptime), longestLapse)
  }
}
