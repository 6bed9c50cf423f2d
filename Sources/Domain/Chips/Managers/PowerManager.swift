import Quantities

/// The timer of a board that starts the host while its supply is cut.
///
/// A call is a few transactions and never waits. What is written is read back: `settingLost` if it differs. The alarm itself
/// is read back by ``verifyWake(at:)``, because a board may need time to take it over.
public protocol WakeTimer {
  /// The longest time to an alarm.
  var longestWake: Duration { get }
  /// The time from ``setWake(in:)`` until the alarm reads back.
  var settleTime: Duration { get }
  /// The board's own time in seconds since 2000. Differences are valid even if it is wrong. Throws `cannot` if its clock has
  /// stopped or shows an impossible date.
  func seconds() throws(ChipError) -> Int64
  /// Sets the alarm to `time` from now by the board's own clock, and returns the board's time of the alarm; `time` is at
  /// least ``shortestWake`` and at most ``longestWake``, else `cannot` is thrown.
  @discardableResult func setWake(in time: Duration) throws(ChipError) -> Int64
  /// Throws `settingLost` unless the alarm is set to this time of the board and will start the host.
  func verifyWake(at due: Int64) throws(ChipError)
  /// Clears the alarm.
  func clearWake() throws(ChipError)
}

extension WakeTimer {
  /// The shortest time to an alarm: one that rings before the supply is cut would be lost.
  public var shortestWake: Duration { .seconds(60) }
}

/// The switch of a board that cuts the supply of the host.
///
/// A call is a few transactions and never waits. What is written is read back: `settingLost` if it differs.
public protocol PowerSwitch {
  /// Has the supply cut when `time` has passed, whatever the host does until then.
  func armCut(after time: Duration) throws(ChipError)
  /// Keeps the supply on.
  func disarmCut() throws(ChipError)
  /// True if a cut is armed.
  func isCutArmed() throws(ChipError) -> Bool
}

/// The second way back of a board that cuts the supply: it starts the host although no alarm came.
public protocol StartSupervisor {
  /// Has the host started at the latest `time` after a cut, rounded up to a step of the board. Nil switches it off. Returns the
  /// time in effect. Throws `cannot` if the board has none, or none that long.
  func setDeadMan(_ time: Duration?) throws(ChipError) -> Duration?
  /// The reason why the host was started, or its supply cut, the last time. To be read before the alarm is cleared or the
  /// timer set, which may reset it.
  func startReason() throws(ChipError) -> StartReason
}

/// The reason why a board switched the supply of the host.
public enum StartReason: Hashable, Sendable {
  /// The alarm that was set for the start.
  case alarm
  /// The alarm came while the voltage was too low, and the start followed later.
  case delayedAlarm
  /// No alarm came.
  case deadMan
  /// The button, or a pulse at the switch input, such as an accelerometer's interrupt.
  case button
  /// The voltage recovered, or a supply was connected.
  case supply
  /// The voltage was too low: the board cut the supply by itself.
  case lowVoltage
  /// The temperature left its range.
  case temperature
  /// The cut that was armed.
  case armedCut
  /// The host was restarted.
  case reboot
  /// A number that the driver does not know.
  case other(UInt8)
}

/// A board that cuts the supply of the host and restores it.
public protocol PowerManager: WakeTimer, PowerSwitch, StartSupervisor {
  /// Name in board files.
  static var name: String { get }
  /// Possible addresses, the usual one first.
  static var addresses: [I2CAddress] { get }
  /// Independent document or model that the registers were checked against.
  static var witness: String { get }

  /// The pause after a failed call, until the board answers again.
  var retryPause: Duration { get }
  /// True if alarm and dead-man timer also restart a host that is up: both must be cleared while the supply stays on.
  var restartsRunningHost: Bool { get }

  init(bus: any I2CBus, address: I2CAddress)

  /// Identifies the board. Only reads: on several boards one written byte cuts the supply. Throws `wrongIdentity` if a
  /// different chip answers.
  func identify() throws(ChipError) -> PowerManagerModel
}

/// A board as it identifies itself.
public struct PowerManagerModel: Hashable, Sendable {
  /// The model's name.
  public var name: String
  /// The revision of its firmware.
  public var firmware: Int
  /// The reason why the firmware must not cut the supply; nil if it may.
  public var objection: String?

  public init(name: String, firmware: Int, objection: String? = nil) {
    (self.name, self.firmware, self.objection) = (name, firmware, objection)
  }
}

/// A supported power manager, as used by board files and detection.
public struct PowerManagerPart: Sendable {
  /// Name in board files.
  public let name: String
  /// Possible addresses, the usual one first.
  public let addresses: [I2CAddress]
  /// Creates the driver without accessing the bus.
  public let make: @Sendable (_ bus: any I2CBus, _ address: I2CAddress) -> any PowerManager

  public static let all: [PowerManagerPart] = [
    PowerManagerPart(WittyPi4.self) { WittyPi4(bus: $0, address: $1) },
    PowerManagerPart(PiJuice.self) { PiJuice(bus: $0, address: $1) },
  ]

  private init(
    _ type: any PowerManager.Type, make: @escaping @Sendable (any I2CBus, I2CAddress) -> any PowerManager
  ) {
    (name, addresses) = (type.name, type.addresses)
    self.make = make
  }

  /// The power managers that the chip at an address is. Only reads. Throws the bus error if no chip answers.
  public static func candidates(
    on bus: any I2CBus, at address: I2CAddress
  ) throws(ChipError) -> [PowerManagerPart] {
    var found: [PowerManagerPart] = []
    for part in all where part.addresses.contains(address) {
      do throws(ChipError) {
        _ = try part.make(bus, address).identify()
        found.append(part)
      } catch {
        if case .bus = error { throw error }
      }
    }
    return found
  }
}
