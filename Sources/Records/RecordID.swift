/// The number of a record in the log: unique, ever increasing, never used again.
public struct RecordID: Comparable, Hashable, Sendable {
  public var rawValue: Int64

  public init(_ rawValue: Int64) { self.rawValue = rawValue }

  /// Before the first record.
  public static let zero = RecordID(0)

  public static func < (a: RecordID, b: RecordID) -> Bool { a.rawValue < b.rawValue }
}
