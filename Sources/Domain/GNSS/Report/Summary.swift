import Quantities

/// Summary of a recording, as one line of JSON.
///
/// `messages`, `talkers`, `kinds` and `accuracy` list only what occurred. `kinds` and `accuracy` count the
/// epochs with a usable position; the others are `epochs` less `fixes`. `first` and `last` are the first and
/// the last epoch with a date. `seconds` is the sum of the forward steps of the time of day, also across
/// midnight, so it needs no date. Steps back and those above two hours do not count.
public struct Summary: Sendable {
  // Stored inline: an array would be checked for other owners with every epoch. Both enumerations have at
  // most eight cases.
  private var kinds = SIMD8<UInt64>()
  private var sources = SIMD8<UInt64>()
  private var first: Timestamp?
  private var last: Timestamp?
  private var lastTime: Int32?
  private var milliseconds: Int64 = 0

  /// Longest step in milliseconds that is not a pause of the recording.
  static let longestStep: Int32 = 7_200_000
  private static let millisecondsPerDay = Int32(Timestamp.millisecondsPerDay)

  public init() {}

  /// Counts one epoch, with or without a usable position; epochs come in the order of the stream.
  public mutating func add(_ fix: Fix) {
    add(
      fix.kind, accuracySource: fix.accuracySource, timestamp: fix.timestamp,
      millisecondOfDay: fix.millisecondOfDay)
  }

  /// Counts one epoch by the values that are needed, without a copy of the fix.
  @inline(__always)
  mutating func add(
    _ kind: FixKind, accuracySource: AccuracySource, timestamp: Timestamp?, millisecondOfDay: Int32?
  ) {
    if kind != .none {
      DecodeStatistics.countOne(&kinds, at: Int(kind.rawValue))
      DecodeStatistics.countOne(&sources, at: Int(accuracySource.rawValue))
    }
    if let timestamp {
      if first == nil { first = timestamp }
      last = timestamp
    }
    guard let time = millisecondOfDay else { return }
    if let lastTime {
      var step = time &- lastTime
      if step <= Self.longestStep &- Self.millisecondsPerDay { step &+= Self.millisecondsPerDay }
      if step > 0, step <= Self.longestStep { milliseconds &+= Int64(step) }
    }
    lastTime = time
  }

  /// Corrects the first and the last date.
  public mutating func correctDates(_ correction: (Timestamp) -> Timestamp) {
    first = first.map(correction)
    last = last.map(correction)
  }

  /// Appends the line and a line feed. `statistics` are those of the decoder at the end of the stream of
  /// `bytes` bytes.
  public func append(_ statistics: DecodeStatistics, bytes: UInt64, to text: inout [UInt8]) {
    text.write(#"{"class":"SUMMARY""#)
    text.write(key: "bytes", bytes)
    text.write(key: "messages", MessageKind.allCases.map { ($0.word, statistics.count(of: $0)) })
    text.write(key: "talkers", Talker.allCases.map { ($0.word, statistics.count(of: $0)) })
    text.write(key: "errors")
    text.append(UInt8(ascii: "{"))
    text.write(key: "checksum", statistics.checksumErrors)
    text.write(key: "unchecked", statistics.uncheckedSentences)
    text.write(key: "discarded_bytes", statistics.discardedBytes)
    text.append(UInt8(ascii: "}"))
    text.write(key: "epochs", statistics.epochs)
    text.write(key: "fixes", statistics.fixes)
    text.write(key: "kinds", FixKind.allCases.map { ($0.word, kinds[Int($0.rawValue)]) })
    text.write(key: "accuracy", AccuracySource.allCases.map { ($0.word, sources[Int($0.rawValue)]) })
    text.write(key: "first", first)
    text.write(key: "last", last)
    text.write(key: "seconds")
    text.write(number: milliseconds, decimals: 3)
    text.write("}\n")
  }
}

extension [UInt8] {
  /// Appends an object of the counts that are not 0.
  fileprivate mutating func write(key: StaticString, _ counts: [(StaticString, UInt64)]) {
    write(key: key)
    append(UInt8(ascii: "{"))
    for (word, count) in counts where count > 0 { write(key: word, count) }
    append(UInt8(ascii: "}"))
  }

  fileprivate mutating func write(key: StaticString, _ timestamp: Timestamp?) {
    guard let timestamp else { return }
    write(key: key)
    append(UInt8(ascii: "\""))
    timestamp.appendISO8601(to: &self, fraction: .milliseconds)
    append(UInt8(ascii: "\""))
  }
}
