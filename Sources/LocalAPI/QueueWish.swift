/// What becomes of records that wait for a destination whose address changes.
public enum QueueWish: String, Sendable {
  /// They go to the new address.
  case keep
  /// They are not sent, and stay in the log.
  case drop
}
