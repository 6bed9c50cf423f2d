import Glibc
import System

/// The undervoltage indication of a Raspberry Pi's firmware; other boards have none.
///
/// Read when the host is awake anyway. Sources: `get_throttled` of the firmware driver (bit 0: below 4.63 V
/// now, bit 16: since the machine started); in kernels without it, `in0_lcrit_alarm` of its hwmon driver
/// `rpi_volt` (since the driver's last check, two seconds ago).
public struct BoardSupply: Sendable {
  /// A reading of the indication.
  public struct Reading: Equatable, Sendable {
    /// True if the voltage is too low now.
    public var isLow: Bool
    /// True if the voltage was too low at any time since the machine started.
    public var wasLow: Bool

    public init(isLow: Bool, wasLow: Bool) {
      self.isLow = isLow
      self.wasLow = wasLow
    }
  }

  private enum Source: Sendable { case firmware(String), monitor(String) }

  private let source: Source

  /// Finds the indication below `root`; nil if there is none.
  public init?(root: String = "/sys") {
    let firmware = root + "/devices/platform/soc/soc:firmware/get_throttled"
    if access(firmware, R_OK) == 0 {
      source = .firmware(firmware)
      return
    }
    for number in 0..<16 {
      let monitor = root + "/class/hwmon/hwmon\(number)"
      guard Self.text(monitor + "/name") == "rpi_volt" else { continue }
      source = .monitor(monitor + "/in0_lcrit_alarm")
      return
    }
    return nil
  }

  /// The present indication; nil if it cannot be read.
  public func read() -> Reading? {
    switch source {
    case .firmware(let path):
      guard let text = Self.text(path) else { return nil }
      let digits = text.hasPrefix("0x") ? text.dropFirst(2) : text[...]
      guard let flags = UInt32(digits, radix: 16) else { return nil }
      return Reading(isLow: flags & 1 != 0, wasLow: flags & 1 << 16 != 0)
    case .monitor(let path):
      switch Self.text(path) {
      case "0": return Reading(isLow: false, wasLow: false)
      case "1": return Reading(isLow: true, wasLow: true)
      default: return nil
      }
    }
  }

  /// The first line of a small file.
  private static func text(_ path: String) -> String? {
    guard let bytes = try? FileBytes.read(path, limit: 64) else { return nil }
    return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
  }
}
