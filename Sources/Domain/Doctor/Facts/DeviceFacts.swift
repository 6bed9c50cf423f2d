import Settings

/// The receiver's port and the programs that use it.
public struct PortFacts: Equatable, Sendable {
  /// A process that has the port open.
  public struct Holder: Equatable, Sendable {
    public var process: Int32
    public var name: String

    public init(process: Int32, name: String) { (self.process, self.name) = (process, name) }
  }

  /// The data that arrived while doctor listened.
  public struct Listening: Equatable, Sendable {
    public var baud: Int
    public var bytes: Int
    /// The number of frames with a valid checksum.
    public var frames: Int

    public init(baud: Int, bytes: Int, frames: Int) {
      (self.baud, self.bytes, self.frames) = (baud, bytes, frames)
    }
  }

  /// The configured port; nil without one.
  public var path: String?
  /// The device behind all links, as in `/dev/ttyAMA0`; nil if it does not exist.
  public var target: String?
  /// The device behind `/dev/serial0`; nil if the link does not exist.
  public var headerTarget: String?
  public var node: FileNode?
  /// The processes that hold it, other than this one.
  public var holders: [Holder] = []
  /// True if the descriptors of some processes are invisible to this user.
  public var hidesProcesses = false
  /// The stable name of a USB port below `/dev/serial/by-id`; nil if there is none.
  public var stableName: String?
  /// The serial ports of the system.
  public var present: [String] = []
  public var listening: Fact<Listening> = .absent
  /// True if a process listens on gpsd's TCP port, 2947.
  public var hasGPSDSocket = false
  /// The lines `NAME=VALUE` of /etc/default/gpsd, without quotation marks.
  public var gpsdDefaults: [String: String] = [:]

  public init() {}

  /// The name of the device without its directory.
  var deviceName: String? {
    target.map { String($0.split(separator: "/").last ?? "") }
  }

  /// The names of the UARTs that a Raspberry Pi can have on pins 8 and 10 of its header, and of their debug connector.
  private static let headerNames: Set<String> = ["serial0", "ttyS0", "ttyAMA0", "ttyAMA10"]

  /// True if the port is the UART of the header of a Raspberry Pi; by its path if the device does not exist.
  var isHeaderUART: Bool {
    guard !isUSB, let path else { return false }
    let name = deviceName ?? path.split(separator: "/").last.map(String.init) ?? ""
    return Self.headerNames.contains(name) || target != nil && target == headerTarget
  }

  var isUSB: Bool { deviceName.map { $0.hasPrefix("ttyACM") || $0.hasPrefix("ttyUSB") } ?? false }
}

/// I²C buses, GPIO chips and lights.
public struct BusFacts: Equatable, Sendable {
  /// A bus with its devices.
  public struct Bus: Equatable, Sendable {
    public var path: String
    public var node: FileNode?
    /// The names of the chips by address, empty for an unknown chip; nil if the bus was not scanned.
    public var chips: [UInt8: [String]]?
    /// The reason why the bus cannot be used.
    public var fault: String?

    public init(path: String, node: FileNode? = nil, chips: [UInt8: [String]]? = nil, fault: String? = nil) {
      (self.path, self.node, self.chips, self.fault) = (path, node, chips, fault)
    }
  }

  /// A GPIO line that the configuration names.
  public struct Line: Equatable, Sendable {
    public var setting: String
    public var line: LineSettings
    /// The chip's device; nil if it does not exist.
    public var chip: FileNode?
    /// The program that uses the line; nil if it is free or its use is unknown.
    public var consumer: String?

    public init(setting: String, line: LineSettings, chip: FileNode? = nil, consumer: String? = nil) {
      (self.setting, self.line, self.chip, self.consumer) = (setting, line, chip, consumer)
    }
  }

  /// The buses that the kernel offers or the configuration names.
  public var buses: [Bus] = []
  /// True if the module i2c-dev is loaded.
  public var hasDriver = false
  public var lines: [Line] = []
  /// The names of the GPIO chips, as in `gpiochip0`.
  public var gpioChips: [String] = []
  /// The names of the lights in /sys/class/leds.
  public var lights: [String] = []
  /// The directory behind the link of the LED that `leds.status` names, as in `/sys/devices/platform/leds/leds/ACT`;
  /// nil without one.
  public var statusLight: String?
  /// The names in /sys/class/power_supply.
  public var supplies: [String] = []
  /// The usual addresses of the chips that have drivers, by name.
  public var usualAddresses: [String: [UInt8]] = [:]

  public init() {}
}

/// Clocks and time services.
public struct ClockFacts: Equatable, Sendable {
  /// The operating system's UTC in seconds since 1970.
  public var now: Int64 = 0
  /// The maximum error of the system clock in seconds; absent if no program disciplines it.
  public var error: Fact<Double> = .hidden("the system clock was not queried")
  /// The real-time clock's time in seconds since 1970; absent without a clock chip.
  public var chipTime: Fact<Int64> = .absent
  /// True if the clock chip has an alarm.
  public var hasAlarm = false
  /// The names in /sys/class/rtc.
  public var chips: [String] = []
  public var hasFakeClock = false
  /// The socket that `clock.chrony` names; nil if it does not exist or none is configured.
  public var referenceSocket: FileNode?
  /// The time zone; hidden with the reason if /etc/localtime cannot be used.
  public var zone: Fact<String> = .absent

  public init() {}
}

/// The supply and temperature of the host.
public struct PowerFacts: Equatable, Sendable {
  /// The bits of the firmware's `get_throttled`; absent on other boards.
  public var throttled: Fact<UInt32> = .absent
  /// The undervoltage alarm of the hwmon driver rpi_volt; nil without one.
  public var hasVoltageAlarm: Bool?
  /// The highest temperature in °C.
  public var celsius: Double?
  /// The words of /sys/power/state.
  public var sleepStates: [String] = []
  /// The state of the kernel's power supply that `gauge.power_supply` names, as in `Discharging`.
  public var supplyState: String?

  public init() {}
}
