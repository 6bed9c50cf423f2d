import Energy
import GNSS
import Quantities
import Tracking

/// Lets a policy live through a day in the simulated world.
public struct DayReplay: Sendable {
  let day: Day
  private let noise: PositionNoise
  private(set) var accelerometer: WorldAccelerometer
  private let seed: UInt64
  /// False: the box has no accelerometer.
  public var hasAccelerometer = true
  /// What the receiver draws, by which a plan chooses how to rest.
  public var currents = ReceiverCurrents.neoM8N

  /// The same day and seed give the same world, whatever lives in it.
  public init(_ day: Day, seed: UInt64) {
    self.day = day
    self.seed = seed
    noise = PositionNoise(seed: seed, seconds: Day.seconds)
    accelerometer = WorldAccelerometer(day, seed: seed)
  }

  /// The box has an accelerometer that said this, in order of time, in place of the one of the world.
  public mutating func hear(_ edges: [MotionEdge]) {
    hasAccelerometer = true
    accelerometer = WorldAccelerometer(edges: edges)
  }

  public func run(_ policy: some ReceiverPolicy) -> DayLog {
    var life = Life(self, policy)
    return life.run()
  }

  /// The moment of a second of the day; the boot was ten minutes earlier.
  static func moment(_ time: Double) -> Moment { Moment(nanoseconds: Int64((time + 600) * 1e9)) }
  static func time(_ moment: Moment) -> Double { Double(moment.nanoseconds) * 1e-9 - 600 }

  private struct Life<Policy: ReceiverPolicy> {
    var policy: Policy
    var receiver: WorldReceiver
    var log: DayLog
    let hasAccelerometer: Bool
    let edges: [WorldAccelerometer.Edge]
    let holes: [ClosedRange<Double>]
    var lastFix: Fix?
    var lastPlace: Place?

    init(_ replay: DayReplay, _ policy: Policy) {
      self.policy = policy
      receiver = WorldReceiver(replay.day, noise: replay.noise, seed: replay.seed)
      log = DayLog(start: replay.day.start)
      hasAccelerometer = replay.hasAccelerometer
      edges = replay.hasAccelerometer ? replay.accelerometer.edges : []
      holes = replay.day.holes
    }

    mutating func run() -> DayLog {
      let end = Double(Day.seconds)
      var nextEdge = 0
      if hasAccelerometer {
        perform(policy.handle(.evidence(.accelerometer, isActive: false), now: moment(0)), at: 0)
      }
      perform(policy.handle(.started, now: moment(0)), at: 0)
      var now = 0.0
      // Who asks to be called at once for ever has no plan.
      var atOnce = 0
      while atOnce < 1000 {
        let edge = nextEdge < edges.count ? edges[nextEdge].time : .infinity
        let epoch = receiver.nextEpoch ?? .infinity
        let timeout = policy.nextTimeout.map(DayReplay.time) ?? .infinity
        let next = max(now, min(edge, epoch, timeout))
        guard next < end else { break }
        atOnce = next > now ? 0 : atOnce + 1
        now = next
        if edge <= next {
          nextEdge += 1
          let event = PlanEvent.evidence(.accelerometer, isActive: edges[nextEdge - 1].isMoving)
          perform(policy.handle(event, now: moment(now)), at: now)
        } else if epoch <= next {
          guard let (fix, strongest) = receiver.epoch() else { continue }
          if let strongest { perform(policy.handle(.heard(strongest: strongest), now: moment(now)), at: now) }
          lastFix = fix.kind == .none ? nil : fix
          perform(policy.handle(.epoch(fix), now: moment(now)), at: now)
        } else {
          // A timeout is never early for want of a nanosecond.
          let due = policy.nextTimeout.map { max($0, moment(now)) } ?? moment(now)
          perform(policy.handleTimeout(now: due), at: now)
        }
      }
      receiver.finish(at: end)
      log.intervals = receiver.intervals
      log.starts = receiver.starts
      log.failedSearches = receiver.failedSearches
      log.cut(holes)
      return log
    }

    private func moment(_ time: Double) -> Moment { DayReplay.moment(time) }

    private mutating func perform(_ actions: [PlanAction], at time: Double) {
      for action in actions {
        switch action {
        case .receiver(let state, _): receiver.order(state, at: time)
        case .keep:
          guard let fix = lastFix, let latitude = fix.latitude, let longitude = fix.longitude else {
            continue
          }
          let place = Place(latitude: latitude, longitude: longitude)
          lastPlace = place
          log.keep(place, at: time)
        case .keepLastPlace(_, let moment):
          guard let lastPlace else { continue }
          log.keep(lastPlace, at: min(DayReplay.time(moment), time))
        }
      }
    }
  }
}
