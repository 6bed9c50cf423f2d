import Quantities

/// Reads one gauge for as long as the program runs, and has it judged.
///
/// Call ``step(on:now:)`` at ``nextTimeout``, or up to ``tolerance`` before it where that saves a wake-up. It never waits.
public struct GaugeReader {
  public enum Notice: Equatable, Sendable {
    /// The gauge does not answer, or another part does. It is looked for all the time.
    case lost(ChipError)
    case returned(after: Duration)
    case battery(BatteryEvent)
  }

  public let part: GaugePart
  public let address: I2CAddress
  public let wiring: GaugeWiring
  public private(set) var nextTimeout: Moment
  public private(set) var tolerance = Duration.zero
  private var judge: BatteryJudge
  private var attendance = ChipAttendance()
  /// The driver; nil before the part was identified and set up.
  private var gauge: (any Gauge)?

  public init(
    part: GaugePart, address: I2CAddress, wiring: GaugeWiring, judge: BatteryJudge, now: Moment
  ) {
    self.part = part
    self.address = address
    self.wiring = wiring
    self.judge = judge
    nextTimeout = now
  }

  /// What is known of the battery.
  public var condition: BatteryCondition { judge.condition }
  public var isLost: Bool { attendance.isLost }

  /// A few transactions on the bus, which `bus` opens where that is needed.
  public mutating func step(on bus: () throws(I2CError) -> any I2CBus, now: Moment) -> [Notice] {
    var notices = judge.lapse(at: now).map(Notice.battery)
    do throws(ChipError) {
      let pause = try advance(on: bus, now: now, &notices)
      if let notice = attendance.succeeded(now: now) { notices.append(Self.notice(notice)) }
      nextTimeout = now + pause
      // Between two readings there is time; what a measurement waits for is due.
      tolerance = pause == judge.rules.readingInterval ? pause / 4 : .zero
    } catch {
      if let notice = attendance.failed(error, now: now) { notices.append(Self.notice(notice)) }
      if attendance.isLost { gauge = nil }
      nextTimeout = attendance.nextTimeout ?? now + judge.rules.readingInterval
      tolerance = .zero
    }
    return notices
  }

  /// What is to be waited for afterwards.
  private mutating func advance(
    on bus: () throws(I2CError) -> any I2CBus, now: Moment, _ notices: inout [Notice]
  ) throws(ChipError) -> Duration {
    guard var driver = gauge else {
      var driver: any Gauge
      do throws(I2CError) { driver = part.make(try bus(), address, wiring) } catch { throw .bus(error) }
      try driver.identify()
      let pause = try driver.start()
      gauge = driver
      return pause
    }
    // A part that was called has its state, also where the call broke off.
    defer { gauge = driver }
    switch try driver.read() {
    case .wait(let pause): return pause
    case .reading(let reading):
      notices += judge.take(reading, at: now).map(Notice.battery)
      return judge.rules.readingInterval
    }
  }

  private static func notice(_ notice: ChipAttendance.Notice) -> Notice {
    switch notice {
    case .lost(let error): .lost(error)
    case .returned(let after): .returned(after: after)
    }
  }
}
