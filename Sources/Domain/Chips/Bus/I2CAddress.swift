/// A 7-bit I²C address, right-aligned: `0x36`, never the shifted form `0x6C` that is sent on the wire.
public struct I2CAddress: Hashable, Comparable, Sendable, CustomStringConvertible {
  public let rawValue: UInt8

  /// The addresses available to devices (I²C specification UM10204, section 3.1.12).
  public static let devices: ClosedRange<UInt8> = 0x08...0x77

  /// Creates an address; nil outside ``devices``.
  public init?(_ rawValue: UInt8) {
    guard Self.devices.contains(rawValue) else { return nil }
    self.rawValue = rawValue
  }

  /// `0x36`
  public var description: String {
    let digits = String(rawValue, radix: 16)
    return "0x" + (digits.count < 2 ? "0" : "") + digits
  }

  public static func < (a: I2CAddress, b: I2CAddress) -> Bool { a.rawValue < b.rawValue }
}
