import Glibc
import SystemLoop

/// The kernel's switches for radios (`/dev/rfkill`, Documentation/driver-api/rfkill.rst).
public enum RadioKill {
  /// The values of `enum rfkill_type`.
  public enum Sort: UInt8, Sendable, CaseIterable {
    case all = 0
    case wlan = 1
    case bluetooth = 2
    case wwan = 5
  }

  /// Where the kernel takes what is to become of radios.
  public static let device = "/dev/rfkill"

  /// `RFKILL_OP_CHANGE_ALL`: every radio of the sort.
  private static let changeAll: UInt8 = 3

  /// Blocks or frees every radio of a sort, by software; a switch of the case is not overruled.
  ///
  /// Throws what open(2) or write(2) say: EACCES where the user may not, ENOENT in a kernel without rfkill.
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
