import Chips

/// The name and connection of a fuel gauge or accelerometer, in the terms of the board file.
public struct PartLocation: Hashable, Sendable {
  /// Name of the chip, or of the kernel's supply.
  public var name: String
  /// The bus, or the directory of the kernel's supplies.
  public var path: String
  /// The I²C address; nil if the kernel drives the gauge.
  public var address: I2CAddress?

  public init(name: String, path: String, address: I2CAddress? = nil) {
    self.name = name
    self.path = path
    self.address = address
  }

  /// Text for messages, as in `max17048 at 0x36 on /dev/i2c-1`.
  public var words: String { address.map { "\(name) at \($0) on \(path)" } ?? "\(name) in \(path)" }
}
