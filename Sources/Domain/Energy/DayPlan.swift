import Quantities

/// A day of a device as arithmetic: how often its host starts for a task, and how long it is on because the device moves.
///
/// It knows the future: every start has a task, and nothing is tried in vain. A real day costs more.
public struct DayPlan: Equatable, Sendable {
  /// The time for which a fix keeps the host on after its start.
  public static let work = Duration.seconds(15)
  /// The charge of a hot fix in mAh at the receiver.
  public static let fix = 0.03
  static let day = Duration.seconds(86_400)

  /// The starts of the host for a task.
  public var starts: Int
  /// The time in motion, with the receiver tracking and the host on unless the receiver stores its epochs.
  public var moving: Duration
  /// The time that the memory of the receiver covers while the host is off in motion; nil if the host is on in motion.
  public var storing: Duration?
  public var hasAccelerometer = true
  public var hasGauge = false

  public init(starts: Int, moving: Duration = .zero) {
    self.starts = max(starts, 0)
    self.moving = min(max(moving, .zero), Self.day)
  }

  /// The charge in mAh at the supply, by consumer. `host` are the currents of a host that sleeps between its tasks; nil for a
  /// host that is always on. A consumer without a current is left out.
  public func charges(_ currents: BoardCurrents, host: HostCurrents?) -> [EnergyShare: Double] {
    var charges: [EnergyShare: Double] = [:]
    func add(_ share: EnergyShare, _ time: Duration) {
      guard let current = currents[share], time > .zero else { return }
      charges[share, default: 0] += current * time.inSeconds / 3600
    }
    if let host {
      let starts = starts + (storing.map { Int(moving / max($0, .seconds(1))) } ?? 0)
      let on = min((storing == nil ? moving : .zero) + Self.work * starts, Self.day)
      charges[.hostCycle] = host.cycle.milliampereHours * Double(starts)
      add(.hostBase, on)
      add(.hostDown, Self.day - on - (host.startTime + host.downTime) * starts)
    } else {
      add(.hostBase, Self.day)
    }
    add(.receiver(.tracking), moving)
    add(.receiver(.backup), Self.day - moving)
    charges[.receiver(.searching)] = Self.fix * Double(starts)
    if hasAccelerometer { add(.accelerometer, Self.day) }
    if hasGauge { add(.gauge, Self.day) }
    add(.overhead, Self.day)
    return charges
  }
}

/// The days that a battery lasts, as a range, because neither capacity nor currents are known exactly.
public struct BatteryLife: Equatable, Sendable {
  /// The usable share of the design capacity: the rest is lost to age, cold and the cut-off voltage.
  static let usable = (worst: 0.75, likely: 0.8, best: 0.85)
  /// The self-discharge of a lithium cell with its protection, as a share of the capacity in a month of 30 days.
  static let selfDischarge = (worst: 0.03, likely: 0.025, best: 0.02)
  /// The error of the draw: board figures are data-sheet values and estimates.
  static let draw = (worst: 1.1, likely: 1.0, best: 0.95)
  /// The days beyond which no forecast is honest, because the self-discharge is only estimated.
  public static let longest = 250.0

  public let fewest: Double
  public let likeliest: Double
  public let most: Double
  /// The self-discharge in mAh a day.
  public let selfDischargePerDay: Double

  /// `capacity` in mAh; `perDay` is the draw in mAh a day at the battery. Nil unless both are positive.
  public init?(capacity: Double, perDay: Double) {
    guard capacity > 0, perDay > 0, capacity.isFinite, perDay.isFinite else { return nil }
    func days(_ usable: Double, _ selfDischarge: Double, _ draw: Double) -> Double {
      capacity * usable / (perDay * draw + capacity * selfDischarge / 30)
    }
    fewest = days(Self.usable.worst, Self.selfDischarge.worst, Self.draw.worst)
    likeliest = days(Self.usable.likely, Self.selfDischarge.likely, Self.draw.likely)
    most = days(Self.usable.best, Self.selfDischarge.best, Self.draw.best)
    selfDischargePerDay = capacity * Self.selfDischarge.likely / 30
  }
}
