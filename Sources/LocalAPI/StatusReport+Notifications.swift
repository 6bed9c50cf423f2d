extension StatusReport {
  /// How the operator's program or URL takes the events it is called with, since the start or the last change of it.
  public struct Notifications: Codable, Equatable, Sendable {
    /// Events that it took.
    public var handed_over: Int
    /// Events that it did not take, or for which there was no room.
    public var failed: Int
    /// Why the last call was in vain; absent when it was not.
    public var trouble: String?

    public init(handedOver: Int, failed: Int, trouble: String?) {
      handed_over = handedOver
      self.failed = failed
      self.trouble = trouble
    }
  }
}
