/// The id of a record in the log: unique, increasing, never reused.
public struct RecordID: Comparable, Hashable, Sendable {
  public var rawValue: Int64

  public init(_ rawValue: Int64) { self.rawValue = rawValue }

  /// The highest valid id: 2^53 - 1, the largest integer that every JSON parser represents exactly.
  ///
  /// At one record per second it is reached after 285 million years, so a file with a higher id is damaged.
  public static let highest = RecordID((1 << 53) - 1)

  /// The position before the first record.
  public static let zero = RecordID(0)

  public static func < (a: RecordID, b: RecordID) -> Bool { a.rawValue < b.rawValue }
}
