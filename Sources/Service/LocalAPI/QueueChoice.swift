/// The fate of the queue of a destination whose address changes.
public enum QueueChoice: String, Sendable {
  /// The queue is sent to the new address.
  case keep
  /// The queue is discarded; its records stay in the log.
  case drop
}
