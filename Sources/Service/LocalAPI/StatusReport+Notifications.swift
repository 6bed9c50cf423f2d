extension StatusReport {
  /// The delivery of events to the operator's program or URL, since the start or the last change of the setting.
  public struct Notifications: Codable, Equatable, Sendable {
    /// The number of delivered events.
    public var handed_over: Int
    /// The number of events that it rejected, or for which there was no space.
    public var failed: Int
    /// The reason why the last delivery failed; absent if it did not.
    public var trouble: String?

    public init(handedOver: Int, failed: Int, trouble: String?) {
      handed_over = handedOver
      self.failed = failed
      self.trouble = trouble
    }
  }
}
