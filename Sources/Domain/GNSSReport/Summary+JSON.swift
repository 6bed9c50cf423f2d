import GNSSProtocol
import Quantities

extension Summary {
  /// Appends the summary as one line of JSON, and a line feed.
  ///
  /// `messages`, `talkers`, `kinds` and `accuracy` list only what occurred. `kinds` and `accuracy` count the
  /// epochs with a usable position; the others are `epochs` less `fixes`. `first` and `last` are the first and
  /// the last epoch with a date. `seconds` is the sum of the forward steps of the time of day, also across
  /// midnight, so it needs no date. Steps back and those above two hours do not count.
  ///
  /// `statistics` are those of the decoder at the end of the stream of
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
