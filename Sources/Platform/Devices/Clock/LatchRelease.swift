import Glibc

/// The release of a power latch by the kernel at the end of a shutdown (drivers/power/reset/gpio-poweroff.c, overlay
/// gpio-poweroff of Raspberry Pi OS).
public enum LatchRelease {
  /// Returns the reason why the kernel would not release the latch; nil if its driver has a device.
  public static func fault(under directory: String = "/sys/bus/platform/drivers/poweroff-gpio") -> String? {
    guard let stream = opendir(directory) else {
      return
        "nothing releases the latch: the overlay gpio-poweroff is not loaded; add dtoverlay=gpio-poweroff,gpiopin=N"
    }
    defer { closedir(stream) }
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { field in
        field.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if !name.hasPrefix("."), !["bind", "unbind", "uevent", "module"].contains(name) { return nil }
    }
    return
      "nothing releases the latch: the driver of the overlay gpio-poweroff has no device; check its gpiopin"
  }
}
