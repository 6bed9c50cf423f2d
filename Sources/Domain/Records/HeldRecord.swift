import Quantities

/// A record that a destination may reject: it is sent again on its own, while the records after it are delivered.
///
/// It is a part of the queue until it is delivered or set aside. Retention by age keeps it until then, and until one more
/// attempt if it is set aside.
public struct HeldRecord: Equatable, Sendable {
  public var id: RecordID
  /// The first number for which it accounts; nil for a late record.
  public var from: RecordID?
  /// The number of refusals before and after which the server accepted other records.
  public var refusals = 0
  /// True if it is set aside: it is not sent again except once before retention deletes it.
  public var isSetAside = false
  /// The time since the last change, on reading; nil if it is unknown.
  public var age: Duration?

  public init(id: RecordID, from: RecordID?) {
    self.id = id
    self.from = from
  }
}

/// A change of a held record in the log.
public enum HeldChange: Equatable, Sendable {
  /// The record is held. The cursor moves past it in the same step.
  case hold(HeldRecord)
  /// The state of the record has changed; the cursor does not move.
  case update(HeldRecord)
  /// The record is delivered, or not sent any more; the cursor does not move.
  case end(RecordID)
}
