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
  /// The time in effect; nil if it is off. Throws `cannot` if the board has none.
  func deadMan() throws(ChipError) -> Duration?
  /// The reason why the host was started, or its supply cut, the last time. To be read before the alarm is cleared or the
  /// timer set, which may reset it.
  func startReason() throws(ChipError) -> StartReason
}

/// The voltages that decide whether a board starts the host, in V at its battery input.
public struct SupplyLimits: Hashable, Sendable {
  /// No start below; nil leaves the board's own limit.
  public var low: Double?
  /// A start above, after a voltage below ``low``; nil leaves the board's own limit.
  public var recovery: Double?

  public init(low: Double?, recovery: Double?) { (self.low, self.recovery) = (low, recovery) }
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
  /// True if the cut is an alarm of the board's clock, and does not come while that stands.
  var cutNeedsClock: Bool { get }
  /// True if alarm and dead-man timer also restart a host that is up: both must be cleared while the supply stays on.
  var restartsRunningHost: Bool { get }

  init(bus: any I2CBus, address: I2CAddress)

  /// Stores the limits of the voltage, if they differ from those in force. Throws `cannot` if the board has none, or not these.
  func setLimits(_ limits: SupplyLimits) throws(ChipError)

  /// Identifies the board. Only reads: on several boards one written byte cuts the supply. Throws `wrongIdentity` if a
  /// different chip answers.
  func identify() throws(ChipError) -> PowerManagerModel
}

extension PowerManager {
  /// To be called at each start of the host: identifies the board, reads the reason of the start, and calls off the cut and
  /// the alarm of an earlier run. `deadMan` is the second way back, also after an empty battery; nil for none. It stays set
  /// if the board ignores it while the host is up, and is cleared if it would restart the host.
  public func receiveHost(
    deadMan time: Duration?, limits: SupplyLimits = SupplyLimits(low: nil, recovery: nil)
  ) throws(ChipError) -> StartReason {
    _ = try identify()
    let reason = try startReason()
    try disarmCut()
    try clearWake()
    if let time {
      if restartsRunningHost {
        _ = try setDeadMan(nil)
      } else if try deadMan() == nil {
        _ = try setDeadMan(time)
      }
    }
    if limits.low != nil || limits.recovery != nil { try setLimits(limits) }
    return reason
  }
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
    PowerManagerPart(PiSugar3.self) { PiSugar3(bus: $0, address: $1) },
  ]

  /// The part with this name in board files.
  public static func named(_ name: String) -> PowerManagerPart? { all.first { $0.name == name } }

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
