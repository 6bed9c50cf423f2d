import Chips
import EventLoop
import LoggerConfiguration
import Quantities
import Records
import Testing
import Uplink
@testable import Daemon

/// Wake-ups of a stationary device in an hour, by the state machines alone.
@Suite struct StationaryWakeUpTests {
  /// A component with a next deadline.
  private struct User {
    var name: String
    var window: (Moment) -> WakeWindow?
    var call: (Moment) -> Void
  }

  /// The result of a run.
  private struct Hour {
    var wakes = 0
    var calls: [String: Int] = [:]
  }

  /// `merges`: false wakes the device for every need at its own time.
  private static func live(_ users: [User], for length: Duration, merges: Bool) -> Hour {
    var hour = Hour()
    var now = Moment.zero
    func windows() -> [WakeWindow?] {
      users.map { user in
        user.window(now).map { merges ? $0 : WakeWindow(at: $0.due) }
      }
    }
    while let next = WakeSchedule.next(windows().compactMap { $0 }), next <= .zero + length {
      now = max(now, next)
      hour.wakes += 1
      // As the loop does: first the needs that are due, then those that would cause another wake-up.
      for isJoining in [false, true] {
        let open = windows()
        let schedule = WakeSchedule(open.compactMap { $0 }, now: now)
        for (user, window) in zip(users, open) {
          guard let window, isJoining ? schedule.takes(window) : window.due <= now else { continue }
          hour.calls[user.name, default: 0] += 1
          user.call(now)
        }
      }
    }
    return hour
  }

  /// A periodic need with a tolerance, which begins some seconds after the start.
  private static func recurring(
    _ name: String, from start: Int64, _ next: @escaping (Moment) -> WakeWindow
  ) -> User {
    var window = next(.zero + .seconds(start))
    return User(name: name, window: { _ in window }, call: { window = next($0) })
  }

  /// The watchdog with an interval of 30 s. The worker responds immediately, without a wake-up.
  private static var watchdog: User {
    var feed = WatchdogFeed(interval: .seconds(30), now: .zero)
    return User(
      name: "watchdog", window: { _ in feed.nextWake },
      call: { now in
        for action in feed.handleTimeout(now: now) {
          if case .send(let token, _) = action { _ = feed.workerAnswered(token, now: now) }
        }
      })
  }

  /// A destination with a send interval of five minutes.
  private static func delivery(waiting: Int, isDown: Bool) -> (user: User, attempts: () -> [Moment]) {
    var attempts: [Moment] = []
    var machine = DeliveryMachine(settings: DeliveryMachine.Settings(), seed: 1)
    func carryOut(_ actions: [DeliveryMachine.Action], _ now: Moment) {
      for action in actions {
        switch action {
        case .loadBatch:
          var batch: LoadedBatch?
          if waiting > 0 {
            batch = LoadedBatch(
              position: BatchPosition(through: RecordID(Int64(waiting)), isLate: false), size: 200,
              records: waiting, features: waiting, hasMore: false, boundary: .stored)
          }
          carryOut(machine.handle(.batchLoaded(batch), now: now), now)
        case .post:
          attempts.append(now)
          let verdict: Verdict = isDown ? .refused(Refusal(.unreachable, reason: "down")) : .accepted
          carryOut(machine.handle(.answered(verdict), now: now), now)
        case .commitBatchBoundary(let position):
          carryOut(machine.handle(.batchBoundaryCommitted(through: position.through), now: now), now)
        case .acknowledge(let position, let next):
          carryOut(machine.handle(.acknowledged(through: position.through), now: now), now)
          if next != nil { carryOut(machine.handle(.batchLoaded(nil), now: now), now) }
        case .shorten, .abandonPost, .report: break
        }
      }
    }
    carryOut(machine.handle(.started, now: .zero), .zero)
    let user = User(
      name: "delivery", window: { _ in machine.nextWake },
      call: { carryOut(machine.handleTimeout(now: $0), $0) })
    return (user, { attempts })
  }

  /// A position check of the sleeping receiver exactly every 15 min.
  private static var schedule: User { recurring("plan", from: 211) { WakeWindow(at: $0 + .seconds(900)) } }

  private static func box(delivering delivery: User) -> [User] {
    [
      watchdog, schedule, delivery,
      // As in GaugeReader: once a minute, up to 15 s earlier to share a wake-up.
      recurring("gauge", from: 7) { WakeWindow(by: $0 + .seconds(60), orEarlier: .seconds(15)) },
      // As in the tracker.
      recurring("heartbeat", from: 13) { WakeWindow(from: $0 + .seconds(610), orLater: .seconds(30)) },
      recurring("retention", from: 2) {
        WakeWindow(by: $0 + LogController.expiryInterval, orEarlier: LogController.expiryInterval / 2)
      },
      recurring("mqtt", from: 19) { WakeWindow(by: $0 + .seconds(30), orEarlier: .seconds(15)) },
    ]
  }

  @Test func aStationaryDeviceWakesForItsWatchdogOnly() {
    let delivery = Self.delivery(waiting: 0, isDown: false)
    let hour = Self.live(Self.box(delivering: delivery.user), for: .seconds(3600), merges: true)
    #expect(hour.calls["delivery"] == nil, "an empty queue needs no send interval")
    #expect(hour.calls["plan"] == 3 && hour.calls["gauge"] ?? 0 >= 59 && hour.calls["heartbeat"] ?? 0 >= 5)
    // One notification every 30 s is 120, and one at the start.
    #expect(hour.wakes == 121)
    let delivery2 = Self.delivery(waiting: 0, isDown: false)
    let apart = Self.live(Self.box(delivering: delivery2.user), for: .seconds(3600), merges: false)
    #expect(apart.wakes > 300, "\(apart.wakes) apart")
  }

  @Test func withoutASupervisorAnHourHasTheSixtyWakeUpsOfTheGauge() {
    let delivery = Self.delivery(waiting: 1, isDown: true)
    let users = Self.box(delivering: delivery.user).filter { $0.name != "watchdog" && $0.name != "mqtt" }
    let hour = Self.live(users, for: .seconds(3600), merges: true)
    let attempts = delivery.attempts()
    let delivery2 = Self.delivery(waiting: 1, isDown: true)
    let others = Self.box(delivering: delivery2.user).filter { $0.name != "watchdog" && $0.name != "mqtt" }
    let apart = Self.live(others, for: .seconds(3600), merges: false)
    // The first retries follow each other too fast to share wake-ups.
    let early = attempts.filter { $0 > .zero && $0 < .zero + .seconds(200) }.count
    #expect(attempts.count > early + 4)
    #expect(hour.wakes <= 60 + early + 4)
    #expect(apart.wakes >= hour.wakes + 10, "\(apart.wakes) apart, \(hour.wakes) merged")
  }
}
