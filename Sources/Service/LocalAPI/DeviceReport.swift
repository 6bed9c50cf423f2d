import Quantities

/// The health of a device in one flat object, for a server of the profile `outrider`.
///
/// Absent values are unknown. Later versions only add keys.
public struct DeviceReport: Codable, Equatable, Sendable {
  /// What became of a setting that the server sent.
  public struct SettingOutcome: Codable, Equatable, Sendable {
    /// The dotted key.
    public var key: String
    /// `on_trial`, `proven`, `rolled_back`, `rejected` or `ignored`.
    public var outcome: String
    public var reason: String?
    /// ISO 8601 in UTC; absent if the outcome is older than this run.
    public var time: String?
  }

  /// The answer to a question of the server.
  public struct Answer: Codable, Equatable, Sendable {
    public var id: String
    /// `position`, `report`, `why` or `doctor`; `unknown` for any other.
    public var question: String
    /// `done`, `failed` or `refused`.
    public var outcome: String
    public var reason: String?
    /// The last gaps, for `why`.
    public var gaps: [Gap]?
    /// Warnings and errors, for `doctor`.
    public var findings: [Finding]?

    public init(
      id: String, question: String, outcome: String, reason: String?, gaps: [Gap]?, findings: [Finding]?
    ) {
      (self.id, self.question, self.outcome, self.reason) = (id, question, outcome, reason)
      (self.gaps, self.findings) = (gaps, findings)
    }
  }

  /// A gap with its reason. Times are in ISO 8601.
  public struct Gap: Codable, Equatable, Sendable {
    public var from: String
    /// The end; nil while it lasts.
    public var to: String?
    public var reason: String

    public init(from: String, to: String?, reason: String) {
      (self.from, self.to, self.reason) = (from, to, reason)
    }
  }

  /// A check of the system that did not succeed.
  public struct Finding: Codable, Equatable, Sendable {
    public var check: String
    /// `warning` or `error`.
    public var result: String
    public var meaning: String?

    public init(check: String, result: String, meaning: String?) {
      (self.check, self.result, self.meaning) = (check, result, meaning)
    }
  }

  /// The most outcomes in a report.
  static let mostOutcomes = 40

  public var version: String
  /// The name of this server among the device's destinations, as its events have it.
  public var destination: String?
  public var board: String?
  public var uptime_s: Double?
  public var battery_percent: Double?
  public var supply_V: Double?
  public var days_left: Double?
  public var days_left_min: Double?
  public var days_left_max: Double?
  public var power_level: String?
  public var temperature_C: Double?
  /// Queued records for this server, without events.
  public var queued_records: Int?
  public var log_bytes: Int?
  public var written_bytes_day: Int?
  public var card_used_percent: Int?
  public var card_days_left: Int?
  public var receiver: String?
  public var firmware: String?
  public var receiver_trouble: String?
  /// Time of the last stored position, in ISO 8601; absent in a privacy zone.
  public var last_fix: String?
  public var no_fix_s: Double?
  public var records_today: Int?
  /// The time in which the receiver was on today.
  public var receiver_on_today_s: Double?
  /// The name that the server gave to the settings that it sent last.
  public var settings_hash: String?
  public var settings_on_trial: [String]?
  public var set_outcomes: [SettingOutcome]?
  /// The latest time of the next request by the device's own schedule, in ISO 8601; absent while the date is
  /// unknown.
  public var next_contact: String?
  /// The time from the report to then.
  public var next_contact_in_s: Int64?
  /// The answer to the last question of this server, until the server has it.
  public var answer: Answer?

  /// Takes the values for the destination `name` from the status.
  ///
  /// `time` is the present time; nil while the date is unknown: then no value has a time.
  /// `nextContactIn` is the longest time to the next request; nil if there may be none.
  public init(
    _ status: StatusReport, for name: String, board: String?, settingsHash: String?, nextContactIn: Duration?,
    time: Timestamp?
  ) {
    version = status.version
    destination = name
    self.board = board
    uptime_s = status.uptime_s
    battery_percent = status.battery?.percent
    supply_V = status.battery?.voltage_V
    days_left = status.power?.days_left?.likeliest
    days_left_min = status.power?.days_left?.fewest
    days_left_max = status.power?.days_left?.most
    power_level = status.power?.level
    temperature_C = status.battery?.temperature_C
    queued_records = status.destinations.first { $0.name == name }?.queued
    log_bytes = status.log.bytes
    written_bytes_day = status.storage?.written_bytes_day.map { $0.values.reduce(0, +) }
    card_used_percent = status.storage?.used_percent
    card_days_left = status.storage?.days_left
    receiver = status.receiver?.module
    firmware = status.receiver?.firmware
    receiver_trouble = status.receiver?.trouble
    last_fix = status.position?.time
    no_fix_s = status.reception?.no_fix_s
    records_today = status.today?.records
    receiver_on_today_s = status.today?.receiver_on_s
    settings_hash = settingsHash
    let trials = status.remote?.on_trial?.filter { $0.destination == name }.map(\.key) ?? []
    settings_on_trial = trials.isEmpty ? nil : trials
    let outcomes = status.remote?.keys.filter { $0.destination == name }.compactMap { key in
      Self.words[key.outcome].map { word in
        SettingOutcome(
          key: key.key, outcome: word, reason: key.reason,
          time: key.age_s.flatMap { age in
            guard let time, let past = Int64(exactly: (-age * 1000).rounded()) else { return nil }
            return (time + .milliseconds(past)).iso8601()
          })
      }
    }
    set_outcomes = outcomes.flatMap { $0.isEmpty ? nil : Array($0.prefix(Self.mostOutcomes)) }
    next_contact = nextContactIn.flatMap { wait in time.map { ($0 + wait).iso8601() } }
    next_contact_in_s = nextContactIn?.wholeSeconds
  }

  /// The words of the report for those of the status.
  private static let words = [
    "applied": "on_trial", "persisted": "proven", "unchanged": "proven", "went back": "rolled_back",
    "refused": "rejected", "ignored": "ignored",
  ]
}
