import Testing

/// Boot files in the form of Raspberry Pi OS, written for these tests.
enum Corpus {
  /// A text with its name.
  struct Sample: Sendable, CustomTestStringConvertible {
    var name: String
    var bytes: [UInt8]
    var testDescription: String { name }

    init(_ name: String, _ text: String) { (self.name, bytes) = (name, Array(text.utf8)) }
  }

  /// As in an image made from Debian 12.
  static let debian12 = """
    # Settings of the firmware; see the documentation of config.txt.
    # Hardware interfaces, off by default
    #dtparam=i2c_arm=on
    #dtparam=i2s=on
    #dtparam=spi=on

    # Sound
    dtparam=audio=on

    # Cameras and displays are found by themselves
    camera_auto_detect=1
    display_auto_detect=1
    auto_initramfs=1

    # Graphics
    dtoverlay=vc4-kms-v3d
    max_framebuffers=2
    disable_fw_kms_setup=1

    # 64-bit mode
    arm_64bit=1
    disable_overscan=1
    arm_boost=1

    [cm4]
    # The USB 2 controller of the module
    otg_mode=1

    [cm5]
    dtoverlay=dwc2,dr_mode=host

    [all]

    """

  /// As in an image made from Debian 13, whose first lines raspi-config has changed.
  static let debian13 = """
    # Settings of the firmware
    dtparam=i2c_arm=on
    dtparam=spi=on
    #dtparam=i2s=on
    dtparam=audio=on
    camera_auto_detect=1
    auto_initramfs=1
    dtoverlay=vc4-kms-v3d
    arm_64bit=1

    [cm4]
    otg_mode=1
    [cm5]
    dtoverlay=dwc2,dr_mode=host
    [pi5]
    dtparam=pciex1
    usb_max_current_enable=1
    [all]
    enable_uart=1

    """

  static let hat = """
    dtparam=audio=off
    # HAT with a power monitor
    dtparam=i2c_vc=on
    dtoverlay=i2c-fan,emc2301,minrpm=2500
    gpio=5=op,dh
    [pi4]
    arm_freq=1500
    [gpio4=1]
    dtoverlay=gpio-shutdown

    """

  static let block = """
    arm_64bit=1
    [all]
    # outrider: begin (raspberry-pi-4)
    enable_uart=1
    dtoverlay=disable-bt
    # outrider: end

    """

  static let blockWithLinesAfter = """
    [pi4]
    arm_freq=1500
    [all]
    # outrider: begin (field-unit)
    dtparam=i2c_arm=on
    # outrider: end
    dtoverlay=gpio-fan
    [pi5]
    dtparam=pciex1

    """

  static let configurations: [Sample] = [
    Sample("empty", ""), Sample("one line end", "\n"), Sample("no final line end", "arm_64bit=1"),
    Sample("only a carriage return", "arm_64bit=1\r"), Sample("section without line end", "[pi4]"),
    Sample("Debian 12", debian12), Sample("Debian 13", debian13), Sample("HAT", hat),
    Sample("CRLF", debian13.replacing("\n", with: "\r\n")),
    Sample("CRLF, no final line end", String(debian12.replacing("\n", with: "\r\n").dropLast())),
    Sample("no final line end, a section", String(hat.dropLast())),
    Sample("mixed line ends", "arm_64bit=1\r\nenable_uart=0\ndtparam=audio=on\r\n[pi5]\n"),
    Sample("4 KiB", debian12 + String(repeating: "# a comment of forty characters, as usual\n", count: 80)),
    Sample("not UTF-8", "# caf\u{E9}\n"),
  ]

  /// Files that contain a block already.
  static let withBlocks: [Sample] = [
    Sample("block", block), Sample("block, CRLF", block.replacing("\n", with: "\r\n")),
    Sample("lines after the block", blockWithLinesAfter),
    Sample("two blocks", block + "gpu_mem=16\n" + block),
    Sample("block without section", block.replacing("[all]\n", with: "")),
  ]

  static let commandLines: [Sample] = [
    Sample("empty", ""),
    Sample(
      "Debian 12",
      "console=serial0,115200 console=tty1 root=PARTUUID=4e639091-02 rootfstype=ext4 fsck.repair=yes rootwait quiet\n"
    ),
    Sample(
      "Debian 13",
      "console=serial0,115200 console=tty1 root=PARTUUID=ab12-02 rootfstype=ext4 rootwait cfg80211.ieee80211_regdom=DE ds=nocloud;i=rpi"
    ),
    Sample("mini UART", "console=ttyS0,115200 console=tty1 root=/dev/mmcblk0p2\n"),
    Sample("PL011 at the end", "root=/dev/mmcblk0p2 console=tty1  console=ttyAMA0,115200\r\n"),
    Sample("only serial", "console=serial0,115200"), Sample("no serial", "console=tty1 rootwait\n"),
    Sample(
      "other ports", "console=ttyAMA10,115200 console=ttyS01 xconsole=serial0,1 earlycon=serial0 rootwait"),
    Sample("quoted", "dyndbg=\"file a console=serial0,115200 +p\" console=serial0 console=tty1"),
    Sample("several", "console=serial0,115200 console=ttyAMA0,115200 console=tty1\tconsole=ttyS0,9600"),
  ]
}
