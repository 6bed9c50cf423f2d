import Glibc
import System

/// The kernel's switches for radios (`/dev/rfkill`, Documentation/driver-api/rfkill.rst).
public enum RadioKill {
  /// The values of `enum rfkill_type`.
  public enum Sort: UInt8, Sendable, CaseIterable {
    case all = 0
    case wlan = 1
    case bluetooth = 2
    case wwan = 5
  }

  /// The device that takes the commands.
  public static let device = "/dev/rfkill"

  /// `RFKILL_OP_CHANGE_ALL`: every radio of a type.
  private static let changeAll: UInt8 = 3

  /// Blocks or unblocks every radio of a type by software; a hardware switch is not overridden.
  ///
  /// Throws the error of open(2) or write(2): EACCES without permission, ENOENT in a kernel without rfkill.
  public static func block(
    _ sort: Sort, _ isBlocked: Bool, device: String = device
  ) throws(SystemError) {
    let descriptor = Descriptor(
      owning: try check("open", on: device, open(device, O_WRONLY | O_NONBLOCK | O_CLOEXEC)))
    let event = event(sort, isBlocked)
    try check("write", on: device, event.withUnsafeBytes { write(descriptor.raw, $0.baseAddress, $0.count) })
  }

  /// A `struct rfkill_event` in its first form: index, type, operation, soft and hard block.
  static func event(_ sort: Sort, _ isBlocked: Bool) -> [UInt8] {
    [0, 0, 0, 0, sort.rawValue, changeAll, isBlocked ? 1 : 0, 0]
  }
}
