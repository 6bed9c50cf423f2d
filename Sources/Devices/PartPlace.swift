import Chips

/// Which gauge or accelerometer it is, in the words of the board file.
public struct PartPlace: Hashable, Sendable {
  /// The part's name, or that of the kernel's supply.
  public var name: String
  /// The bus, or the directory of the kernel's supplies.
  public var path: String
  /// Nil where the kernel drives the gauge.
  public var address: I2CAddress?

  public init(name: String, path: String, address: I2CAddress? = nil) {
    self.name = name
    self.path = path
    self.address = address
  }

  /// `max17048 at 0x36 of /dev/i2c-1`
  public var words: String { address.map { "\(name) at \($0) of \(path)" } ?? "\(name) of \(path)" }
}
