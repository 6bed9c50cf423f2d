/// Why a chip could not be used.
public enum ChipError: Error, Hashable, Sendable {
  case bus(I2CError)
  /// Another part answers at the address.
  case wrongIdentity(I2CAddress, register: UInt8, expected: [UInt16], got: UInt16)
  /// What was written does not read back: a part that pretends to be another, or one that lost its supply.
  case settingLost(I2CAddress, register: UInt8, expected: UInt16, got: UInt16)
  /// The checksum that came with a register's contents does not fit them.
  case wrongChecksum(I2CAddress, register: UInt8, expected: UInt8, got: UInt8)
  /// The part cannot do what is asked of it.
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
