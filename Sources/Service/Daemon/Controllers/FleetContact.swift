import JSON
import Quantities
import Records

/// The contact with a server that takes reports: when the next report is due, and if the queue may move back.
struct FleetContact {
  /// The shortest time between two moves of the queue, so that a faulty server cannot make the device send its log in a
  /// loop.
  static let pauseBetweenRewinds = Duration.seconds(3600)

  /// The last confirmed report; nil before the first.
  private var reported: Moment?
  /// True if a report is in the running request.
  private var isReporting = false
  /// The last move of the queue. The record is nil once the server has got one after it.
  private var rewound: (at: Moment, to: Int64?)?
  /// The name that the server gave to the settings that it sent last; nil if it sent none in this run.
  private(set) var settingsHash: String?

  /// True if a request is to have a report.
  func isReportDue(every interval: Duration, now: Moment) -> Bool {
    reported.map { now - $0 >= interval } ?? true
  }

  /// The next report is due at once: what it says has changed, also if one is in the running request.
  mutating func requestReport() { (reported, isReporting) = (nil, false) }

  /// A request with or without a report begins.
  mutating func begin(withReport: Bool) { isReporting = withReport }

  /// The running request was confirmed. Called before the next one begins.
  mutating func confirm(now: Moment) {
    if isReporting { reported = now }
    isReporting = false
  }

  /// Handles the response of a confirmed request.
  mutating func take(_ answer: FleetAnswer?) {
    guard let hash = answer?.settings_for, hash.utf8.count <= FleetAnswer.longestHash, hash != settingsHash
    else {
      return
    }
    settingsHash = hash
    // The server waits for the outcome.
    reported = nil
  }

  /// Returns the record after which the server lacks records; nil if it has all from `first` up to `accepted`, if the
  /// queue has moved back within the hour, or if it has moved back to this record without success: what the server still
  /// lacks is a record that it rejects.
  mutating func takeRewind(
    _ answer: FleetAnswer?, accepted: RecordID?, first: RecordID, now: Moment
  ) -> RecordID? {
    guard let have = answer?.have, have >= 0, let accepted else { return nil }
    if let to = rewound?.to, have > to { rewound?.to = nil }
    let target = max(have, first.rawValue - 1)
    guard target < accepted.rawValue,
      rewound.map({ now - $0.at >= Self.pauseBetweenRewinds && $0.to != target }) ?? true
    else { return nil }
    rewound = (now, target)
    return RecordID(target)
  }
}

/// What a server of the profile `outrider` adds to the response to a batch.
struct FleetAnswer: Decodable, Equatable {
  static let longestHash = 100

  /// The highest record up to which the server has accounted for all of the log.
  var have: Int64?
  /// The name of the settings in `set`.
  var settings_for: String?
  /// The settings of the server that are not those of the schema.
  var set: Set?
  /// A question to this device; nil also for one in another form.
  var ask: Ask?

  struct Set: Decodable, Equatable {
    /// The token of this device.
    var token: String?
  }

  struct Ask: Decodable, Equatable {
    var id: String
    /// The word of the question.
    var what: String
  }

  private enum CodingKeys: String, CodingKey { case have, settings_for, set, ask }

  init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    have = try fields.decodeIfPresent(Int64.self, forKey: .have)
    settings_for = try fields.decodeIfPresent(String.self, forKey: .settings_for)
    set = try fields.decodeIfPresent(Set.self, forKey: .set)
    ask = try? fields.decode(Ask.self, forKey: .ask)
  }

  /// Reads a response; nil for a text that is not JSON, or has values of other types.
  init?(_ body: [UInt8]) {
    guard let text = try? CheckedJSON(body), let answer: FleetAnswer = try? text.decode() else { return nil }
    self = answer
  }
}
