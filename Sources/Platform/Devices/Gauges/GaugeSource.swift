import Chips
import EventLoop
import Quantities

/// A fuel gauge that the loop reads once a minute.
public final class GaugeSource {
  /// A change of the gauge or of the battery.
  public enum Notice: Equatable, Sendable {
    /// The gauge gives no readings; the value is the reason as text. Reading is retried until it succeeds.
    case lost(String)
    case returned(after: Duration)
    case battery(BatteryEvent)
  }

  /// State of the gauge and the battery.
  public struct Snapshot: Equatable, Sendable {
    public var condition: BatteryCondition
    /// The time of the last reading; nil before the first.
    public var lastReading: Moment?
    /// The reason for the loss of the gauge as text; nil while it works.
    public var loss: String?

    public init(condition: BatteryCondition, lastReading: Moment? = nil, loss: String? = nil) {
      self.condition = condition
      self.lastReading = lastReading
      self.loss = loss
    }
  }

  /// Called if the condition has changed after a reading, or because the last reading is too old.
  public var onCondition: (BatteryCondition) -> Void = { _ in }
  /// Called after each reading, even if the condition is unchanged.
  public var onReading: (BatteryCondition) -> Void = { _ in }
  public var onNotice: (Notice) -> Void = { _ in }

  /// Factor of the usual interval between two readings.
  private var intervalFactor = 1
  /// 4 at most, because after five missed readings the condition is unknown.
  private static let largestIntervalFactor = 4

  public let location: PartLocation
  public private(set) var snapshot: Snapshot
  private let loop: EventLoop
  /// Reads the gauge and returns notices, state, time of the next reading, and how much earlier that may be.
  private let turn: (Moment) -> Turn
  private var timer: LoopTimer?

  private struct Turn {
    var notices: [Notice]
    var snapshot: Snapshot
    var next: Moment
    var slack: Duration
  }

  public init<Connection: GaugeConnection>(loop: EventLoop, gauge: Connection, monitor: BatteryMonitor) {
    self.loop = loop
    location = gauge.location
    var reader = GaugeReader(gauge, monitor: monitor, now: loop.now)
    snapshot = Snapshot(condition: reader.condition)
    turn = { now in
      let notices = reader.step(now: now).map { Notice($0, of: Connection.self) }
      let snapshot = Snapshot(
        condition: reader.condition, lastReading: reader.lastReading,
        loss: reader.loss.map { Connection.words(of: $0.failure) })
      return Turn(notices: notices, snapshot: snapshot, next: reader.nextTimeout, slack: reader.tolerance)
    }
    timer = loop.addTimer("gauge") { [unowned self] now in step(now: now) }
  }

  deinit { stop() }

  public func start() { timer?.arm(at: loop.now) }

  public func stop() {
    if let timer { loop.removeTimer(timer) }
    timer = nil
  }

  /// Sets the factor by which the gauge is read less often than usual, 1...4.
  public func setIntervalFactor(_ factor: Int) {
    intervalFactor = min(max(factor, 1), Self.largestIntervalFactor)
  }

  private func step(now: Moment) {
    let turn = turn(now)
    let hasChanged = turn.snapshot.condition != snapshot.condition
    let hasRead = turn.snapshot.lastReading != snapshot.lastReading
    snapshot = turn.snapshot
    if hasChanged { onCondition(snapshot.condition) }
    if hasRead { onReading(snapshot.condition) }
    turn.notices.forEach(onNotice)
    // Slack exists only after a successful reading.
    let factor = turn.slack > .zero ? intervalFactor : 1
    timer?.arm(at: now + (turn.next - now) * factor, slack: turn.slack * factor)
  }
}

extension GaugeSource.Notice {
  fileprivate init<Connection: GaugeConnection>(
    _ notice: GaugeReader<Connection>.Notice, of _: Connection.Type
  ) {
    switch notice {
    case .lost(let failure): self = .lost(Connection.words(of: failure))
    case .returned(let after): self = .returned(after: after)
    case .battery(let event): self = .battery(event)
    }
  }
}
