/// The reason why a chip could not be used.
public enum ChipError: Error, Hashable, Sendable {
  case bus(I2CError)
  /// A different chip answers at the address.
  case wrongIdentity(I2CAddress, register: UInt8, expected: [UInt16], got: UInt16)
  /// A written value does not read back: a different chip with the same identity, or a loss of supply.
  case settingLost(I2CAddress, register: UInt8, expected: UInt16, got: UInt16)
  /// The checksum of a register's content does not match.
  case wrongChecksum(I2CAddress, register: UInt8, expected: UInt8, got: UInt8)
  /// The chip or the call sequence does not permit the operation that the text describes.
  case cannot(I2CAddress, String)

  public var address: I2CAddress {
    switch self {
    case .bus(let error): error.address
    case .wrongIdentity(let address, _, _, _), .settingLost(let address, _, _, _),
      .wrongChecksum(let address, _, _, _), .cannot(let address, _):
      address
    }
  }
}
