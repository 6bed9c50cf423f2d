extension StatusReport {
  /// What the logger shares with other programs.
  public struct Share: Codable, Equatable, Sendable {
    /// gpsd's protocol.
    public struct GPSD: Codable, Equatable, Sendable {
      /// The address with its actual port.
      public var address: String
      /// The number of connected programs, and of those that watch the receiver.
      public var clients = 0
      public var watching = 0
      /// The reason why the address is not served; absent while it is.
      public var trouble: String?

      public init(address: String) { self.address = address }
    }

    public var gpsd: GPSD

    public init(gpsd: GPSD) { self.gpsd = gpsd }
  }
}
