import Energy
import Quantities
import Tracking

/// Runs the tracker, or a policy for comparison, through a day in the simulated world.
public struct DayReplay: Sendable {
  let day: Day
  private let noise: PositionNoise
  private(set) var accelerometer: WorldAccelerometer
  private let seed: UInt64
  /// True if the device has an accelerometer.
  public var hasAccelerometer = true
  /// Currents of the receiver, by which the scheduler selects a low-power state.
  public var currents = ReceiverCurrents.neoM8N

  /// Creates a world; the same day and seed give the same world for every logger.
  public init(_ day: Day, seed: UInt64) {
    self.day = day
    self.seed = seed
    noise = PositionNoise(seed: seed, seconds: Day.seconds)
    accelerometer = WorldAccelerometer(day, seed: seed)
  }

  /// Replaces the simulated accelerometer by recorded motion edges, in order of time.
  public mutating func receive(_ edges: [MotionEdge]) {
    hasAccelerometer = true
    accelerometer = WorldAccelerometer(edges: edges)
  }

  public func run(_ policy: some ReceiverPolicy) -> DayLog { live(PolicyLogger(policy)) }

  /// Runs the product's tracker through the day with the currents of this replay.
  public func run(_ settings: TrackerSettings) -> DayLog {
    var settings = settings
    settings.currents = currents
    return live(TrackerLogger(settings, calendar: WorldCalendar(start: day.start)))
  }

  /// Runs the product's tracker and the whole device through the day, with a further `task` of the program.
  public func run(
    _ settings: TrackerSettings, on device: DeviceModel, task: (any DeviceTask)? = nil
  ) -> DayLog {
    var settings = settings
    settings.currents = currents
    return live(DeviceLogger(settings, device, calendar: WorldCalendar(start: day.start), task: task))
  }

  private func live(_ logger: consuming some DayLogger & ~Copyable) -> DayLog {
    var life = Life(self, logger)
    return life.run()
  }

  /// The boot clock at a second of the day; the host started ten minutes earlier.
  static func moment(_ time: Double) -> Moment { Moment(nanoseconds: Int64((time + 600) * 1e9)) }
  static func time(_ moment: Moment) -> Double { Double(moment.nanoseconds) * 1e-9 - 600 }

  private struct Life<Logger: DayLogger & ~Copyable>: ~Copyable {
    var logger: Logger
    var receiver: WorldReceiver
    var log: DayLog
    let hasAccelerometer: Bool
    let edges: [MotionEdge]
    let holes: [ClosedRange<Double>]

    init(_ replay: DayReplay, _ logger: consuming Logger) {
      self.logger = logger
      receiver = WorldReceiver(replay.day, noise: replay.noise, seed: replay.seed)
      log = DayLog(start: replay.day.start)
      hasAccelerometer = replay.hasAccelerometer
      edges = replay.hasAccelerometer ? replay.accelerometer.edges : []
      holes = replay.day.holes
    }

    mutating func run() -> DayLog {
      let end = Double(Day.seconds)
      var nextEdge = 0
      if hasAccelerometer { process(.accelerometer(MotionEdge(time: 0, isMoving: false)), at: 0) }
      process(.started, at: 0)
      var now = 0.0
      // A logger that requests immediate calls without end is stopped.
      var atOnce = 0
      while atOnce < 1000 {
        let edge = nextEdge < edges.count ? edges[nextEdge].time : .infinity
        let epoch = receiver.nextEpoch ?? .infinity
        let timeout = logger.nextTimeout.map(DayReplay.time) ?? .infinity
        let next = max(now, min(edge, epoch, timeout))
        guard next < end else { break }
        atOnce = next > now ? 0 : atOnce + 1
        now = next
        if edge <= next {
          nextEdge += 1
          process(.accelerometer(edges[nextEdge - 1]), at: now)
        } else if epoch <= next {
          guard let (fix, strongest) = receiver.epoch() else { continue }
          if let strongest { process(.received(strongest: strongest), at: now) }
          process(.epoch(fix), at: now)
        } else {
          // Ensures that rounding of nanoseconds does not make a timeout early.
          let due = logger.nextTimeout.map { max($0, moment(now)) } ?? moment(now)
          perform(logger.handleTimeout(now: due), at: now)
        }
      }
      receiver.finish(at: end)
      log.device = logger.finish(now: moment(end))
      log.intervals = receiver.intervals
      log.starts = receiver.starts
      log.failedSearches = receiver.failedSearches
      log.cut(holes)
      return log
    }

    private func moment(_ time: Double) -> Moment { DayReplay.moment(time) }

    private mutating func process(_ event: WorldEvent, at time: Double) {
      perform(logger.handle(event, now: moment(time)), at: time)
    }

    private mutating func perform(_ actions: [WorldAction], at time: Double) {
      for action in actions {
        switch action {
        case .receiver(let state): receiver.order(state, at: time)
        case .record(let position, let moment): log.keep(position, at: moment)
        }
      }
    }
  }
}
