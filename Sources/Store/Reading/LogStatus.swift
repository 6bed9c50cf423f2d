import Records

/// How the log stands.
public struct LogStatus: Equatable, Sendable {
  public struct Destination: Equatable, Sendable {
    public var name: String
    /// The last id that it has confirmed.
    public var acknowledged: RecordID
    /// Dated records that wait for it, late ones included.
    public var queued: Int
  }

  /// The oldest and the newest id; nil while the log is empty.
  public var ids: ClosedRange<RecordID>?
  /// Entries between them, gaps not counted.
  public var count: Int64
  /// Ids that nobody can read any more.
  public var missing: Int64
  /// Entries without a time.
  public var undated: Int64
  /// Bytes of the pages in use.
  public var bytes: Int64
  /// In the order of their names.
  public var destinations: [Destination]
  public var newestLocation: StoredRecord?
  public var newestEvent: StoredRecord?
}
