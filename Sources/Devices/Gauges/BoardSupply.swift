import Glibc
import SystemLoop

/// What a Raspberry Pi's firmware says of the board's own supply; other boards have no such sign.
///
/// Read by whoever is awake anyway. Sources: `get_throttled` of the firmware driver (bit 0: below 4.63 V now, bit 16: since
/// the machine started), and where the kernel lacks that, `in0_lcrit_alarm` of its hwmon driver `rpi_volt` (since its last
/// look, two seconds ago).
public struct BoardSupply: Sendable {
  public struct Reading: Equatable, Sendable {
    /// The voltage is too low.
    public var isLow: Bool
    /// It was since the machine started.
    public var wasLow: Bool

    public init(isLow: Bool, wasLow: Bool) {
      self.isLow = isLow
      self.wasLow = wasLow
    }
  }

  private enum Source: Sendable { case firmware(String), monitor(String) }

  private let source: Source

  /// Looks below `root` for what tells; nil where nothing does.
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

  /// Nil where it does not tell.
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
