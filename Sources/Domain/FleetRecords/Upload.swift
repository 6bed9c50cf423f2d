import Quantities

/// One request of a device, read and checked: the rows for the tables, in the units of the tables.
///
/// A reader guarantees what the tables require: text without NUL, finite numbers in range, times from 1980 to 2100. So a
/// row never fails for its values.
public struct Upload: Equatable, Sendable {
  /// The name that the device gave itself; empty if unknown.
  public var deviceID: String
  /// The identity of the hardware or installation; nil for programs that send none.
  public var uniqueID: String?
  /// The identity of the log file; nil for programs without record numbers.
  public var log: LogID?
  /// The record numbers for which this upload accounts; nil for programs without record numbers.
  public var range: ClosedRange<Int64>?
  /// The lowest record number that the device would send to this server; nil for programs that do not say so.
  public var first: Int64?
  public var locations: [LocationRow]
  public var visits: [VisitRow]
  public var trips: [TripRow]
  public var actions: [ActionRow]
  public var events: [EventRow]
  /// The fault of a report that was left out, as `key: what is wrong`; nil if there is none.
  public var reportFault: String?
  public var report: DeviceReport?
  /// The number of elements that are no records, by reason. They are confirmed and not stored.
  public var dropped: [UploadDrop: Int] = [:]
  /// The body as received, gzip; nil if bodies are not kept.
  public var body: [UInt8]?

  public init(
    deviceID: String, uniqueID: String? = nil, log: LogID? = nil, range: ClosedRange<Int64>? = nil,
    locations: [LocationRow] = [], visits: [VisitRow] = [], trips: [TripRow] = [], actions: [ActionRow] = [],
    events: [EventRow] = [], report: DeviceReport? = nil
  ) {
    self.deviceID = deviceID
    self.uniqueID = uniqueID
    self.log = log
    self.range = range
    self.locations = locations
    self.visits = visits
    self.trips = trips
    self.actions = actions
    self.events = events
    self.report = report
  }

  /// The number of rows of all tables.
  public var rowCount: Int {
    locations.count + visits.count + trips.count + actions.count + events.count
  }
}

/// The random UUID of a device's log file (RFC 9562), as two halves in network byte order.
public struct LogID: Hashable, Sendable {
  public let high: UInt64
  public let low: UInt64

  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Reads 32 hexadecimal digits with hyphens after 8, 12, 16 and 20; nil for any other text.
  public init?(_ text: String) {
    var digits: [UInt64] = []
    for (index, byte) in text.utf8.enumerated() {
      if [8, 13, 18, 23].contains(index) {
        guard byte == UInt8(ascii: "-") else { return nil }
      } else {
        guard let digit = Character(UnicodeScalar(byte)).hexDigitValue else { return nil }
        digits.append(UInt64(digit))
      }
    }
    guard text.utf8.count == 36, digits.count == 32 else { return nil }
    high = digits[..<16].reduce(0) { $0 << 4 | $1 }
    low = digits[16...].reduce(0) { $0 << 4 | $1 }
  }
}

extension LogID: CustomStringConvertible {
  /// 36 characters in lower case.
  public var description: String {
    func hex(_ value: UInt64) -> String {
      let text = String(value, radix: 16)
      return String(repeating: "0", count: 16 - text.count) + text
    }
    let digits = Array(hex(high) + hex(low))
    return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }.joined(separator: "-")
  }
}

/// The health of a device at the time of sending.
public struct DeviceReport: Equatable, Sendable {
  /// The whole object as JSON, without NUL.
  public var text: String
  public var version: String?
  public var settingsHash: String?
  public var queuedRecords: Int64?
  public var daysLeft: Double?
  /// The latest time of the next contact by the device's own schedule.
  public var nextContact: Timestamp?
  /// The longest time from the report to the next contact, for a device that does not know the date.
  public var nextContactIn: Duration?
  public var settingOutcomes: [SettingOutcome]
  /// The answer to a question of the server.
  public var answer: QuestionAnswer?

  /// The longest time to the next contact.
  public static let longestContact = Duration.seconds(366 * 86_400)

  /// The latest time of the next contact, for a report that arrived at this time; nil if unknown.
  ///
  /// A time in the past, or after ``longestContact``, is that of a wrong clock, and counts as unknown.
  public func nextContact(received: Timestamp) -> Timestamp? {
    if let nextContact, nextContact >= received, nextContact <= received + Self.longestContact {
      return nextContact
    }
    return nextContactIn.map { received + $0 }
  }

  public init(
    text: String, version: String? = nil, settingsHash: String? = nil, queuedRecords: Int64? = nil,
    daysLeft: Double? = nil, nextContact: Timestamp? = nil, nextContactIn: Duration? = nil,
    settingOutcomes: [SettingOutcome] = [], answer: QuestionAnswer? = nil
  ) {
    self.text = text
    self.version = version
    self.settingsHash = settingsHash
    self.queuedRecords = queuedRecords
    self.daysLeft = daysLeft
    self.nextContact = nextContact
    self.nextContactIn = nextContactIn
    self.settingOutcomes = settingOutcomes
    self.answer = answer
  }
}

/// The answer of a device to a question of the server.
public struct QuestionAnswer: Equatable, Sendable {
  /// The outcomes of the wire format.
  public enum Outcome: String, CaseIterable, Sendable {
    case done, failed, refused
  }

  /// The ID of the question.
  public var question: Int64
  public var outcome: Outcome
  /// The whole object as JSON, without NUL.
  public var text: String

  public init(question: Int64, outcome: Outcome, text: String) {
    (self.question, self.outcome, self.text) = (question, outcome, text)
  }
}

/// What became of a setting that the server sent, in the device's words.
public struct SettingOutcome: Equatable, Sendable {
  /// The outcomes of the wire format.
  public enum Outcome: String, CaseIterable, Sendable {
    case onTrial = "on_trial"
    case proven
    case rolledBack = "rolled_back"
    case rejected
    case ignored
  }

  public var key: String
  /// The value as JSON; nil if the device names none: then it is the value that the server sent last.
  public var value: String?
  public var outcome: Outcome
  public var reason: String?
  /// The time of the outcome; nil if the device does not know it.
  public var time: Timestamp?

  public init(
    key: String, value: String? = nil, outcome: Outcome, reason: String? = nil, time: Timestamp? = nil
  ) {
    self.key = key
    self.value = value
    self.outcome = outcome
    self.reason = reason
    self.time = time
  }
}
