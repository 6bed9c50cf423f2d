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

  public init(_ currents: BoardCurrents, host: HostRules?) {
    self.currents = currents
    self.host = host
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
    a.alarmToRecord += b.alarmToRecord
    a.motionToRecord += b.motionToRecord
  }
}

extension DeviceModel {
  /// The charge in mAh of a device that knows the future: one start of the host for each departure and each fix that
  /// `interval` requires while stationary (nil: none), and the host on only while the device moves.
  public func limit(of day: Day, interval: Duration?) -> Double {
    let moving = Duration.seconds(day.movingSeconds)
    let fixes = interval.map { Int((.seconds(Day.seconds) - moving) / $0) } ?? 0
    var plan = DayPlan(starts: day.departures.count + fixes, moving: moving)
    plan.hasGauge = hasGauge
    var sum = plan.charges(currents, host: host?.currents).values.reduce(0, +)
    if let radio {
      let sessions = Int(Duration.seconds(Day.seconds) / radio.interval)
      sum += (currents[.radioSending] ?? 0) * (radio.length * sessions).inSeconds / 3600
    }
    return sum
  }
}
