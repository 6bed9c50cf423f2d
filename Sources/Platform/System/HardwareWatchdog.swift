/// The hardware watchdog of the host, `/dev/watchdog0`, which resets a host whose kernel or service manager hangs.
public enum HardwareWatchdog {
  /// `WDIOF_CARDRESET` of linux/watchdog.h: the watchdog caused the last reset.
  private static let cardReset: UInt32 = 0x20

  /// True if the watchdog reset the host before this boot (`bootstatus` of the watchdog class in sysfs, a decimal number).
  /// False without a watchdog, or if its driver does not report it. `root` is the directory that contains `sys`.
  public static func hasReset(root: String = "") -> Bool {
    guard let bytes = try? FileBytes.read("\(root)/sys/class/watchdog/watchdog0/bootstatus", limit: 4096),
      let status = UInt32(String(decoding: bytes.prefix { $0 > 0x20 }, as: UTF8.self))
    else { return false }
    return status & cardReset != 0
  }
}
