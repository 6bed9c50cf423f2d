import Quantities

/// Reads one gauge for the lifetime of the program and validates its readings.
///
/// Call ``step(now:)`` at ``nextTimeout``, or up to ``tolerance`` earlier if that saves a wake-up. It never
/// blocks.
public struct GaugeReader<Input: GaugeInput> {
  /// A change of the gauge or of the battery.
  public enum Notice: Equatable, Sendable {
    /// The gauge does not answer, or a different chip does. Probing continues.
    case lost(Input.Failure)
    case returned(after: Duration)
    case battery(BatteryEvent)
  }

  public private(set) var nextTimeout: Moment
  public private(set) var tolerance = Duration.zero
  private var input: Input
  private var monitor: BatteryMonitor
  private var presence = Presence<Input.Failure>()

  public init(_ input: Input, monitor: BatteryMonitor, now: Moment) {
    self.input = input
    self.monitor = monitor
    nextTimeout = now
  }

  /// The present condition of the battery.
  public var condition: BatteryCondition { monitor.condition }
  /// Time of the last reading; nil before the first.
  public var lastReading: Moment? { monitor.lastReading }
  /// The start of the loss of the gauge and its last error; nil while it works.
  public var loss: Presence<Input.Failure>.Loss? { presence.loss }
  public var isLost: Bool { presence.isLost }

  public mutating func step(now: Moment) -> [Notice] {
    var notices = monitor.lapse(at: now).map(Notice.battery)
    do throws(Input.Failure) {
      switch try input.read() {
      case .wait(let pause): (nextTimeout, tolerance) = (now + pause, .zero)
      case .reading(let reading):
        notices += monitor.take(reading, at: now).map(Notice.battery)
        let pause = monitor.rules.readingInterval
        (nextTimeout, tolerance) = (now + pause, pause / 4)
        // Only a reading proves success: a chip can answer and yet never finish a measurement.
        if case .returned(let after)? = presence.succeeded(now: now) {
          notices.append(.returned(after: after))
        }
      }
    } catch {
      if case .lost(let failure)? = presence.failed(error, now: now) { notices.append(.lost(failure)) }
      if presence.isLost { input.release() }
      nextTimeout = presence.nextTimeout ?? now + monitor.rules.readingInterval
      tolerance = .zero
    }
    return notices
  }
}
