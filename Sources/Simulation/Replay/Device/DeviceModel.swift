import Energy
import Quantities
import Scheduling

/// The parts of a device besides its receiver, for a replay that accounts for the whole device.
public struct DeviceModel: Equatable, Sendable {
  /// The currents of all consumers.
  public var currents: BoardCurrents
  /// The sleep of the host; nil for a host that is always on.
  public var host: HostRules?
  /// True if a fuel gauge or power monitor is fitted.
  public var hasGauge = false
  /// The sessions of the radio; nil for none.
  public var radio: RadioSessions?
  /// The receiver that stores its epochs on its own supply while the host is off; nil if the host is on in motion.
  public var storedEpochs: StoredEpochs?

  public init(_ currents: BoardCurrents, host: HostRules?) {
    self.currents = currents
    self.host = host
  }

  /// A receiver that stores its epochs.
  public struct StoredEpochs: Equatable, Sendable {
    /// The epochs for which it has memory.
    public var capacity: Int
    /// The epochs after which they are read, with a reserve for the time of the transfer.
    public var room: Int
    /// The time that the transfer of an epoch takes.
    public var transfer: Duration
    /// The time from the transfer until the receiver is found, configured, and stores again.
    public var settling: Duration

    public init(capacity: Int, room: Int, transfer: Duration, settling: Duration) {
      (self.capacity, self.room, self.transfer, self.settling) = (capacity, room, transfer, settling)
    }

    /// A u-blox M8 or M10 at a baud rate in bit/s: 108 bytes an epoch.
    public static func ublox(speed: UInt32) -> StoredEpochs {
      StoredEpochs(
        capacity: 300, room: 280, transfer: .seconds(1080 / Double(max(speed, 1))), settling: .seconds(4))
    }
  }

  /// Sending at intervals; a session also uses a wake-up for another task, once it is due.
  public struct RadioSessions: Equatable, Sendable {
    public var interval: Duration
    public var length: Duration

    public init(interval: Duration, length: Duration) {
      self.interval = interval
      self.length = length
    }
  }
}

/// A part of the program besides the tracker that can keep the host awake, wake it, or change a sleep that is prepared.
///
/// All times are those of the replay. The host is on at every call.
public protocol DeviceTask: AnyObject {
  /// The time at which ``handleTimeout(now:)`` is called if the host is on.
  var nextTimeout: Moment? { get }
  /// The sleep inhibitor, or the tasks for which the host must wake.
  var situation: HostSituation { get }
  /// The program has started, at the start of the day or after a sleep of the host.
  func started(now: Moment)
  func handleTimeout(now: Moment)
  /// The host is about to sleep. Returns the reason why that must be decided again; nil if it may.
  func sleeps(now: Moment) -> String?
}

/// What a whole device drew on a day, and how its host slept.
public struct DeviceAccount: Equatable, Sendable {
  /// The charge by consumer, for the whole day.
  public internal(set) var charges: ChargeAccount
  /// The starts of the host by the alarm.
  public internal(set) var alarms = 0
  /// The starts of the host by motion.
  public internal(set) var motionStarts = 0
  /// The time in which the host was on, without its starts and stops.
  public internal(set) var hostOn = Duration.zero
  /// Times in seconds from an alarm to the first location after it.
  public internal(set) var alarmToRecord: [Double] = []
  /// The epochs that the receiver had no room for while the host was off.
  public internal(set) var lostEpochs = 0
  /// Times in seconds from motion that started the host to the first location after it.
  public internal(set) var motionToRecord: [Double] = []

  init(_ currents: BoardCurrents) {
    charges = ChargeAccount(start: nil, supplyVolts: currents.supply.volts)
  }

  /// The charge of the day in mAh at the supply; the consumers without a current count as nothing.
  public var total: Double { charges.total.milliampereHours }

  /// Adds the account of another day.
  public static func += (a: inout DeviceAccount, b: DeviceAccount) {
    a.charges += b.charges
    a.alarms += b.alarms
    a.motionStarts += b.motionStarts
    a.hostOn += b.hostOn
    a.lostEpochs += b.lostEpochs
    a.alarmToRecord += b.alarmToRecord
    a.motionToRecord += b.motionToRecord
  }
}

extension DeviceModel {
  /// The charge in mAh of a device that knows the future: one start of the host for each departure and each fix that
  /// `interval` requires while stationary (nil: none), and the host on only while the device moves. With a receiver that stores
  /// its epochs, the host is not on in motion but starts whenever the memory is full.
  public func limit(of day: Day, interval: Duration?) -> Double {
    let moving = Duration.seconds(day.movingSeconds)
    let fixes = interval.map { Int((.seconds(Day.seconds) - moving) / $0) } ?? 0
    var plan = DayPlan(starts: day.departures.count + fixes, moving: moving)
    plan.hasGauge = hasGauge
    plan.storing = storedEpochs.map { .seconds($0.room) }
    var sum = plan.charges(currents, host: host?.currents).values.reduce(0, +)
    if let radio {
      let sessions = Int(Duration.seconds(Day.seconds) / radio.interval)
      sum += (currents[.radioSending] ?? 0) * (radio.length * sessions).inSeconds / 3600
    }
    return sum
  }
}
