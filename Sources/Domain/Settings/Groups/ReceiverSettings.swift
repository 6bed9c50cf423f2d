import Quantities

/// The settings of the receiver (`receiver`).
public struct ReceiverSettings: Equatable, Sendable {
  /// Path of the serial port; nil if not given. Never given together with `gpsd`.
  public var port: String? = Schema.port.fallback
  /// Address of gpsd; nil if not given.
  public var gpsd: GPSDAddress? = Schema.gpsd.fallback
  public var speed: ReceiverSpeed = Schema.speed.fallback
  /// The baud rate to set, in bit/s; nil for no change.
  public var targetSpeed: Int? = Schema.targetSpeed.fallback
  public var control: ReceiverControl = Schema.control.fallback
  public var cyclic: CyclicMode = Schema.cyclic.fallback
  /// The longest time that epochs stay unread in the buffer; zero reads every epoch.
  public var coalescingInterval: Duration = Schema.coalescingInterval.fallback
  /// Maker and name of the module, for display; nil if not given.
  public var module: String? = Schema.module.fallback
  /// The line that switches the receiver on; nil if not wired.
  public var enable: LineSettings? = Schema.enable.fallback
  /// True if the receiver keeps its data without its main supply.
  public var hasBackupSupply: Bool = Schema.backupSupply.fallback
  /// True if the receiver keeps its main supply while that of the host is cut.
  public var hasOwnSupply: Bool = Schema.ownSupply.fallback

  public init() {}
}

extension Schema {
  static let port = Of<String?>(
    "receiver.port", \.receiver.port, .optional(.path), default: nil, applies: .afterRestart, effect: .always,
    alsoCalled: ["device", "tty"],
    "Serial port of the receiver.")
  static let gpsd = Of<GPSDAddress?>(
    "receiver.gpsd", \.receiver.gpsd, .optional(.gpsd), default: nil, applies: .afterRestart, effect: .always,
    "Address of a gpsd that shares the receiver with other programs. It takes the place of "
      + "receiver.port.")
  static let speed = Of<ReceiverSpeed>(
    "receiver.speed", \.receiver.speed, .speed(4800...921_600), default: .automatic, applies: .afterRestart,
    effect: .requires(.serialPort),
    alsoCalled: ["baud", "baudrate"],
    "Baud rate of the serial port, in bit/s. auto detects it by listening.")
  static let targetSpeed = Of<Int?>(
    "receiver.target_speed", \.receiver.targetSpeed, .offOr(.integer(4800...921_600)), default: nil,
    applies: .afterRestart, effect: .requires(.targetSpeed),
    "Baud rate in bit/s to which the receiver is switched if receiver.speed is auto. Off keeps the "
      + "present rate.")
  static let control = Of<ReceiverControl>(
    "receiver.control", \.receiver.control, .word, default: .full, applies: .afterRestart,
    effect: .requires(.serialPort),
    "Control of the receiver: full configures it, none never writes to it.")
  static let cyclic = Of<CyclicMode>(
    "receiver.cyclic", \.receiver.cyclic, .word, default: .automatic, applies: .atOnce,
    effect: .requires(.cyclicReceiver),
    "Use of cyclic tracking while moving, if the receiver may sleep. It delivers a fix every second "
      + "at a third of the current, slightly less accurately. auto uses it with u-blox 6 to 8, M9 and "
      + "M10 on a serial port, except with the accuracy nav.")
  static let coalescingInterval = Of<Duration>(
    "receiver.gather", \.receiver.coalescingInterval, .duration(.zero ... .seconds(10)), default: .zero,
    applies: .atOnce, effect: .requires(.serialPort),
    "Longest time that epochs stay in the serial buffer before the host wakes to read them, up to "
      + "2,700 bytes. 0s wakes the host for every epoch. 3500ms reads three epochs together at 1 Hz and "
      + "saves about half of the processor time. The records are the same, but they are available, "
      + "streamed and stored later by this time. A request for a position is answered immediately.")
  static let module = Of<String?>(
    "receiver.module", \.receiver.module, .optional(.name), default: nil, applies: .afterRestart,
    effect: .always,
    "Maker and name of the receiver module. It is for display only.")
  static let enable = Of<LineSettings?>(
    "receiver.enable", \.receiver.enable, .optionalComponent(.line), default: nil, applies: .afterRestart,
    effect: .always,
    "GPIO line that switches the receiver on.")
  static let backupSupply = Of<Bool>(
    "receiver.backup_supply", \.receiver.hasBackupSupply, .boolean, default: true, applies: .afterRestart,
    effect: .always,
    "Declares a backup supply (V_BCKP) that keeps the receiver's time and ephemerides without its "
      + "main supply. Without it, every cut by receiver.enable causes a cold start of half a minute. "
      + "The supply is then cut for long waits only.")
  static let ownSupply = Of<Bool>(
    "receiver.own_supply", \.receiver.hasOwnSupply, .boolean, default: false, applies: .afterRestart,
    effect: .always,
    "Declares that the receiver keeps its main supply while the host is halted or cut. With "
      + "main.deferred, a receiver with a memory for epochs then goes on recording. The host also sleeps in "
      + "motion, and starts every five minutes to read them. Destinations with a shorter send_interval, "
      + "driving events and a setting trial keep it on.")
}

extension ReceiverSettings {
  /// The declarations in the order of the reference.
  static let declared: [any SettingDeclaration<Configuration>] = [
    Schema.port, Schema.gpsd, Schema.speed, Schema.targetSpeed, Schema.control, Schema.cyclic,
    Schema.coalescingInterval, Schema.module, Schema.enable, Schema.backupSupply,
    Schema.ownSupply,
  ]
}
