/// The settings of the operating system that a board requires (`system` of a board file).
///
/// `outrider boards NAME --apply` writes them; the logger does not use them.
public struct SystemSettings: Equatable, Sendable {
  /// Device tree overlays with their parameters, as after `dtoverlay=` in config.txt.
  public var overlays: [String] = []
  /// Further lines of config.txt, `KEY=VALUE`.
  public var parameters: [String] = []
  /// Kernel modules that are loaded at every start.
  public var modules: [String] = []
  /// The use of the header's UART as console of the kernel.
  public var console: SerialConsole = .keep
  /// Units of systemd that must not run, without the suffix `.service`.
  public var servicesOff: [String] = []
  /// The interval after which the hardware watchdog restarts the host; nil leaves it unchanged.
  public var watchdog: Duration?
  /// The voltage of the charger for the clock's cell, in volts; nil if the board has none.
  public var cellVolts: Double?

  public init() {}

  /// The settings with the charger of the clock's cell enabled; nil if the board has none. A cell that is not
  /// rechargeable can burn, so only the operator may ask for this.
  public var chargingCell: SystemSettings? {
    guard let cellVolts else { return nil }
    var settings = self
    settings.parameters.append("dtparam=rtc_bbat_vchg=\(Int((cellVolts * 1_000_000).rounded()))")
    return settings
  }

  /// Length at which the firmware cuts a line of config.txt, in bytes.
  public static let longestLine = 98

  /// The lines of config.txt. Parameters come first, because a parameter after an overlay can be one of that overlay.
  public var bootLines: [String] { parameters + overlays.map { "dtoverlay=\($0)" } }

  /// Keys of config.txt that a board file may set: none that can damage hardware, write one-time memory or select other
  /// files to boot from.
  static let parameterKeys = [
    "arm_boost", "boot_delay", "camera_auto_detect", "disable_splash", "display_auto_detect", "dtparam",
    "enable_uart", "gpio", "gpu_mem", "hdmi_blanking", "init_uart_baud", "init_uart_clock", "uart_2ndstage",
  ]
  /// Parameters of the device tree that can damage hardware: charging a cell that is not rechargeable.
  static let harmfulParameters = ["rtc_bbat_vchg"]

  private enum Field {
    typealias Of<Value: Equatable & Sendable> = Setting<SystemSettings, Value>

    static let overlays = Of<[String]>(
      "overlays", \.overlays, .list(of: .overlay, "device tree overlays, NAME or NAME,PARAMETER=VALUE"),
      default: [], applies: .afterRestart, effect: .always,
      "Device tree overlays, as after dtoverlay= in config.txt.")
    static let parameters = Of<[String]>(
      "parameters", \.parameters, .list(of: .bootParameter, "lines of config.txt, KEY=VALUE"), default: [],
      applies: .afterRestart, effect: .always,
      "Lines of config.txt, as in dtparam=i2c_arm=on.")
    static let modules = Of<[String]>(
      "modules", \.modules, .list(of: .module, "kernel modules"), default: [], applies: .afterRestart,
      effect: .always,
      "Kernel modules that are loaded at every start.")
    static let console = Of<SerialConsole>(
      "console", \.console, .word, default: .keep, applies: .afterRestart, effect: .always,
      "Kernel console on the header's UART: off removes it from cmdline.txt.")
    static let servicesOff = Of<[String]>(
      "services_off", \.servicesOff, .list(of: .service, "services without the suffix .service"), default: [],
      applies: .afterRestart, effect: .always,
      "Services that are disabled, because they use the receiver's port.")
    // The SoC's watchdog holds at most 16 s; below 10 s an update of the system can trigger it.
    static let watchdog = Of<Duration?>(
      "watchdog", \.watchdog, .optional(.duration(.seconds(10) ... .seconds(15))), default: nil,
      applies: .afterRestart, effect: .always,
      "Interval after which the hardware watchdog restarts a host that hangs (RuntimeWatchdogSec).")
    // The range of the driver rtc-rpi.
    static let cellVolts = Of<Double?>(
      "cell_charge_V", \.cellVolts, .optional(.number(1.3...4.4, "V")), default: nil,
      applies: .afterRestart, effect: .always,
      "Voltage to which outrider boards --charge-cell charges the cell of the clock.")
  }

  static let table = SettingTable<SystemSettings>([
    Field.overlays, Field.parameters, Field.modules, Field.console, Field.servicesOff, Field.watchdog,
    Field.cellVolts,
  ])
}

/// The use of the header's UART as console of the kernel.
public enum SerialConsole: String, CaseIterable, Sendable {
  case off, keep
}
