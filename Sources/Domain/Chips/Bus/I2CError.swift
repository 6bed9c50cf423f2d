/// The reason why a transaction did not complete.
public enum I2CError: Error, Hashable, Sendable {
  /// No chip acknowledged the address: absent, without supply, or on another bus.
  case noAcknowledge(I2CAddress)
  /// The controller timed out, for example because a clock line is held low.
  case timedOut(I2CAddress)
  /// The bus itself is gone or returned a system error.
  case system(I2CAddress, errno: Int32)
  /// The adapter supports neither this transaction nor an equivalent one.
  case unsupported(I2CAddress, transaction: String)
  /// Fewer bytes arrived than requested.
  case shortRead(I2CAddress, expected: Int, got: Int)

  public var address: I2CAddress {
    switch self {
    case .noAcknowledge(let address), .timedOut(let address), .system(let address, _),
      .unsupported(let address, _), .shortRead(let address, _, _):
      address
    }
  }
}
