import FleetRecords
import Quantities

/// Reads the report of a device. A value of another type than expected is ignored: the whole text is kept.
struct ReportReader {
  private enum Key: Int {
    case version, settingsHash, queuedRecords, daysLeft, nextContact, nextContactIn, setOutcomes, answer

    static let names: [StaticString] = [
      "version", "settings_hash", "queued_records", "days_left", "next_contact", "next_contact_in_s",
      "set_outcomes", "answer",
    ]
    static let table = KeyTable(names)
  }

  private enum OutcomeKey: Int {
    case key, value, outcome, reason, time

    static let names: [StaticString] = ["key", "value", "outcome", "reason", "time"]
    static let table = KeyTable(names)
  }

  private enum AnswerKey: Int {
    case id, outcome

    static let names: [StaticString] = ["id", "outcome"]
    static let table = KeyTable(names)
  }

  private static let longestVersion = 200
  private static let mostOutcomes = 1000
  /// The longest answer to a question in bytes; a longer one is ignored.
  private static let longestAnswer = 100_000
  /// The longest text of a report in bytes: that of a thousand outcomes.
  static let longest = 256 << 10
  private static let mostDays: Int64 = 1_000_000

  /// Reads the object at the scanner's position, which is in the outermost object; nil for null. A fault of the
  /// report is returned, because it must not keep the records from being stored. Throws if the text is not JSON.
  static func read(_ scanner: inout TextScanner) throws(UploadError) -> Result<DeviceReport?, UploadError> {
    let beginning = scanner
    do throws(UploadError) { return try value(&scanner) } catch {
      // Beyond a limit of the scanner, or not JSON, which fails again.
      scanner = beginning
      try scanner.skipValue()
      return .failure(error)
    }
  }

  private static func value(
    _ scanner: inout TextScanner
  ) throws(UploadError) -> Result<DeviceReport?, UploadError> {
    guard scanner.next == UInt8(ascii: "{") else {
      let value = try scanner.value(depth: 1)
      guard value.kind == .null else {
        return .failure(
          .invalid(key: "report", .wrongType(expected: "an object"), offset: value.start, record: nil))
      }
      return .success(nil)
    }
    let start = scanner.position
    var fields = RecordFields(Key.names, Key.table, scanner)
    try fields.read(&scanner, depth: 1)
    guard scanner.position - start <= longest else {
      return .failure(.invalid(key: "report", .tooLong(limit: longest), offset: start, record: nil))
    }
    do throws(UploadError) { return .success(try report(&fields, from: start, &scanner)) } catch {
      return .failure(error)
    }
  }

  /// Makes the report from its members; the scanner is at its end.
  private static func report(
    _ fields: inout RecordFields, from start: Int, _ scanner: inout TextScanner
  ) throws(UploadError) -> DeviceReport {
    let hasNUL = scanner.nulOffset != nil
    scanner.nulOffset = nil
    try fields.check(&scanner)
    var report = DeviceReport(text: text(scanner.slice(start..<scanner.position), hasNUL: hasNUL))
    report.version = try fields.text(Key.version.rawValue, limit: longestVersion).map(Self.withoutNUL)
    report.settingsHash = try fields.text(Key.settingsHash.rawValue, limit: longestVersion).map(
      Self.withoutNUL)
    report.queuedRecords = try fields.whole(Key.queuedRecords.rawValue)
    report.daysLeft = try fields.integer(Key.daysLeft.rawValue, places: 3, in: 0...mostDays * 1000).map {
      Double($0) / 1000
    }
    report.nextContact = try fields.time(Key.nextContact.rawValue)
    report.nextContactIn = try fields.integer(
      Key.nextContactIn.rawValue, places: 0, in: 0...DeviceReport.longestContact.components.seconds
    )
    .map { .seconds($0) }
    if let outcomes = fields.value(Key.setOutcomes.rawValue), outcomes.kind == .array {
      report.settingOutcomes = try Self.outcomes(scanner, at: outcomes.start)
    }
    if let answer = fields.value(Key.answer.rawValue), answer.kind == .object,
      answer.end - answer.start <= longestAnswer
    {
      report.answer = try Self.answer(scanner, at: answer, hasNUL: hasNUL)
    }
    return report
  }

  /// The text without NUL: a report must not keep its records from being stored.
  private static func text(_ bytes: UnsafeBufferPointer<UInt8>, hasNUL: Bool) -> String {
    guard hasNUL else { return String(decoding: bytes, as: UTF8.self) }
    var text = Array(bytes)
    var index = 0
    while index + 5 < text.count {
      guard text[index] == UInt8(ascii: "\\") else {
        index += 1
        continue
      }
      if text[index + 1..<index + 6].elementsEqual("u0000".utf8) {
        text.replaceSubrange(index + 2..<index + 6, with: "FFFD".utf8)
      }
      index += 2
    }
    return String(decoding: text, as: UTF8.self)
  }

  private static func withoutNUL(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.filter { $0.value > 0 }))
  }

  private static func answer(
    _ source: TextScanner, at value: TextValue, hasNUL: Bool
  ) throws(UploadError) -> QuestionAnswer? {
    var scanner = TextScanner(source, at: value.start)
    var fields = RecordFields(AnswerKey.names, AnswerKey.table, source)
    try fields.read(&scanner, depth: 2)
    guard let id = try fields.text(AnswerKey.id.rawValue), let number = Int64(id),
      let word = try fields.text(AnswerKey.outcome.rawValue),
      let outcome = QuestionAnswer.Outcome(rawValue: word)
    else { return nil }
    return QuestionAnswer(
      question: number, outcome: outcome, text: text(source.slice(value.start..<value.end), hasNUL: hasNUL))
  }

  private static func outcomes(
    _ source: TextScanner, at position: Int
  ) throws(UploadError) -> [SettingOutcome] {
    var scanner = TextScanner(source, at: position)
    var fields = RecordFields(OutcomeKey.names, OutcomeKey.table, source)
    var outcomes: [SettingOutcome] = []
    try scanner.enter(depth: 2)
    var isFirst = true
    while try scanner.nextElement(isFirst: &isFirst) {
      guard scanner.next == UInt8(ascii: "{") else {
        _ = try scanner.value(depth: 2)
        continue
      }
      scanner.nulOffset = nil
      try fields.read(&scanner, depth: 2)
      guard scanner.nulOffset == nil, outcomes.count < mostOutcomes,
        let key = try fields.text(OutcomeKey.key.rawValue),
        let word = try fields.text(OutcomeKey.outcome.rawValue),
        let outcome = SettingOutcome.Outcome(rawValue: word)
      else { continue }
      let time = try fields.time(OutcomeKey.time.rawValue)
      let value = fields.value(OutcomeKey.value.rawValue)
      outcomes.append(
        SettingOutcome(
          key: key,
          value: value.map { String(decoding: source.slice($0.start..<$0.end), as: UTF8.self) },
          outcome: outcome, reason: try fields.text(OutcomeKey.reason.rawValue, limit: 1000), time: time))
    }
    return outcomes
  }
}
