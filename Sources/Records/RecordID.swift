/// The number of a record in the log: unique, ever increasing, never used again.
public struct RecordID: Comparable, Hashable, Sendable {
  public var rawValue: Int64

  public init(_ rawValue: Int64) { self.rawValue = rawValue }

  /// The highest number that a log gives: 2^53 - 1, the largest integer that every reader of JSON holds. At one record
  /// a second it is reached after 285 million years, so a file with a higher one is damaged.
  public static let highest = RecordID((1 << 53) - 1)

  /// Before the first record.
  public static let zero = RecordID(0)

  public static func < (a: RecordID, b: RecordID) -> Bool { a.rawValue < b.rawValue }
}
