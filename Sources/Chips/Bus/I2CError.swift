/// Why a transaction did not complete.
public enum I2CError: Error, Hashable, Sendable {
  /// Nothing acknowledged the address: absent, without supply, or on another bus.
  case noAcknowledge(I2CAddress)
  /// The controller gave up, as on a clock that is held low.
  case timedOut(I2CAddress)
  /// The bus itself is gone or refuses work.
  case system(I2CAddress, errno: Int32)
  /// The adapter can do neither this transaction nor one that does the same.
  case unsupported(I2CAddress, transaction: String)
  /// Fewer bytes came than were asked for.
  case shortRead(I2CAddress, expected: Int, got: Int)

  public var address: I2CAddress {
    switch self {
    case .noAcknowledge(let address), .timedOut(let address), .system(let address, _),
      .unsupported(let address, _), .shortRead(let address, _, _):
      address
    }
  }
}
