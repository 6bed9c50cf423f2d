import Foundation

/// A tree of files below a temporary directory, removed at the end.
final class SampleTree {
  let root: String

  init(_ files: [String: String] = [:], links: [String: String] = [:]) throws {
    root = NSTemporaryDirectory() + "doctor-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
    for (path, text) in files { try write(path, Data(text.utf8)) }
    for (path, target) in links { try link(path, to: target) }
  }

  deinit { try? FileManager.default.removeItem(atPath: root) }

  func write(_ path: String, _ data: Data) throws {
    try makeParent(path)
    // A link may lead out of the tree.
    try? FileManager.default.removeItem(atPath: root + path)
    try data.write(to: URL(fileURLWithPath: root + path))
  }

  func link(_ path: String, to target: String) throws {
    try makeParent(path)
    try FileManager.default.createSymbolicLink(atPath: root + path, withDestinationPath: target)
  }

  func makeDirectory(_ path: String) throws {
    try FileManager.default.createDirectory(atPath: root + path, withIntermediateDirectories: true)
  }

  func setMode(_ path: String, _ mode: Int) throws {
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: root + path)
  }

  private func makeParent(_ path: String) throws {
    try FileManager.default.createDirectory(
      atPath: (root + path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
  }
}

extension SampleTree {
  private static let mountinfo = """
    25 1 179:2 / / rw,noatime shared:1 - ext4 /dev/mmcblk0p2 rw,errors=remount-ro
    40 25 0:22 / /run rw,nosuid shared:5 - tmpfs tmpfs rw,mode=755
    41 25 179:1 / /boot/firmware rw,relatime shared:6 - vfat /dev/mmcblk0p1 rw
    """

  /// A Raspberry Pi Zero 2 W with a console on the UART, as the stock image has it.
  static func zero2W() throws -> SampleTree {
    let tree = try SampleTree(
      [
        "/proc/device-tree/model": "Raspberry Pi Zero 2 W Rev 1.0\0",
        "/proc/cmdline": "console=ttyS0,115200 console=tty1 root=PARTUUID=ab-02 rootwait\n",
        "/boot/firmware/cmdline.txt": "console=serial0,115200 console=tty1 root=PARTUUID=ab-02 rootwait\n",
        "/boot/firmware/config.txt":
          "# For more options\ndtparam=i2c_arm=on\n[cm4]\ndtoverlay=disable-bt\n[all]\nenable_uart=1\n",
        "/etc/passwd": SoundSystem.passwd, "/etc/group": SoundSystem.group,
        "/proc/self/mountinfo": mountinfo, "/var/lib/outrider/outrider.db": "",
        "/sys/fs/ext4/mmcblk0p2/errors_count": "3\n",
        "/sys/fs/ext4/mmcblk0p2/lifetime_write_kbytes": "73400320\n",
        "/sys/block/mmcblk0/device/life_time": "0x02 0x09\n",
        "/sys/block/mmcblk0/device/pre_eol_info": "0x01\n",
        "/sys/block/mmcblk0/stat": "  1 2 3 4 5 6 7 8 0 9 10 0 0 0 0 200 4000\n",
        "/sys/devices/platform/soc/soc:firmware/get_throttled": "50005\n",
        "/sys/class/thermal/thermal_zone0/temp": "47236\n",
        "/sys/class/watchdog/watchdog0/identity": "Broadcom BCM2835 Watchdog timer\n",
        "/sys/class/leds/ACT/brightness": "0\n", "/dev/ttyS0": "", "/dev/i2c-1": "", "/dev/gpiochip0": "",
        "/sys/class/i2c-dev/i2c-1/name": "bcm2835 (i2c@7e804000)\n",
        "/proc/net/route":
          "Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\nwlan0\t00000000\t0102A8C0\t0003\t0\t0\t600\t00000000\n",
        "/etc/systemd/journald.conf": "[Journal]\n#Storage=auto\nSystemMaxUse=64M\n",
        "/usr/share/zoneinfo/Europe/London": "TZif2",
      ],
      links: [
        "/dev/serial0": "ttyS0",
        "/sys/dev/block/179:2": "../../devices/platform/soc/mmc/block/mmcblk0/mmcblk0p2",
        "/etc/localtime": "/usr/share/zoneinfo/Europe/London",
      ])
    try tree.addProcess(400, "agetty", holding: "/dev/ttyS0")
    return tree
  }

  /// A Raspberry Pi 5 with a USB receiver that gpsd takes.
  static func pi5() throws -> SampleTree {
    let tree = try SampleTree(
      [
        "/sys/firmware/devicetree/base/model": "Raspberry Pi 5 Model B Rev 1.0\0",
        "/boot/firmware/config.txt": "[pi5]\r\ndtparam=uart0=on\r\n[pi4]\r\nenable_uart=1\r\n",
        "/proc/cmdline": "console=tty1", "/dev/ttyACM0": "", "/dev/ttyAMA0": "", "/dev/ttyAMA10": "",
        "/etc/default/gpsd": "# gpsd\nDEVICES=\"\"\nUSBAUTO=\"true\"\n",
        "/proc/net/tcp6":
          "  sl local remote st\n   0: 00000000000000000000000001000000:0B83 0000:0000 0A 00000000:0\n",
        "/sys/class/rtc/rtc0/since_epoch": "1800000003\n", "/sys/class/rtc/rtc0/wakealarm": "\n",
        "/sys/devices/platform/soc@107c000000/soc@107c000000:firmware/get_throttled": "0\n",
        "/sys/power/state": "\n",
      ], links: ["/dev/serial/by-id/usb-u-blox_7-if00": "../../ttyACM0", "/dev/serial0": "ttyAMA10"])
    try tree.addProcess(600, "gpsd", holding: "/dev/ttyACM0")
    return tree
  }

  /// A plain Debian machine without boards' files.
  static func debian() throws -> SampleTree {
    try SampleTree([
      "/etc/passwd": SoundSystem.passwd, "/etc/group": "root:x:0:\ndialout:x:20:\n",
      "/proc/cmdline": "BOOT_IMAGE=/vmlinuz root=/dev/sda1 ro quiet", "/dev/ttyS0": "",
      "/proc/self/mountinfo": "20 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n",
      "/sys/module/apparmor/parameters/enabled": "Y\n", "/lib/x86_64-linux-gnu/libc.so.6": "",
    ])
  }

  /// A Raspberry Pi with raspi-config's overlay, which covers the data partition, too.
  static func overlay() throws -> SampleTree {
    try SampleTree([
      "/proc/device-tree/model": "Raspberry Pi 4 Model B Rev 1.4\0",
      "/proc/cmdline": "overlayroot=tmpfs console=tty1",
      "/proc/self/mountinfo": """
      25 1 0:28 / / rw,relatime - overlay overlayroot rw,lowerdir=/media/root-ro
      30 25 179:2 / /media/root-ro ro,relatime - ext4 /dev/mmcblk0p2 ro
      31 25 0:29 / /var/lib/outrider rw,relatime - overlay overlayroot rw,lowerdir=/media/root-ro/var/lib/outrider
      32 25 179:3 / /media/root\\040ro/data ro - ext4 /dev/mmcblk0p3 ro
      """,
    ])
  }

  /// Adds a process that has a device open.
  func addProcess(_ id: Int32, _ name: String, holding device: String? = nil, arguments: [String] = []) throws
  {
    try write("/proc/\(id)/comm", Data("\(name)\n".utf8))
    try write("/proc/\(id)/cmdline", Data((([name] + arguments).joined(separator: "\0") + "\0").utf8))
    try link("/proc/\(id)/fd/0", to: "/dev/null")
    if let device { try link("/proc/\(id)/fd/3", to: device) }
  }
}
