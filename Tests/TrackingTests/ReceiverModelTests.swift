import Energy
import Quantities
import Records
import Testing
import GNSSProtocol
import Scheduling
@testable import Tracking

/// The learned data of a receiver over a restart.
@Suite struct ReceiverModelTests {
  /// A day that has learned hot starts of two seconds and ended normally.
  private func learned(_ family: ReceiverFamily = .ubloxKeys) throws -> (day: ScheduledDay, state: String) {
    let day = ScheduledDay(.high)
    day.handle(.receiverIdentified(family))
    day.pass(120)
    for _ in 0..<4 {
      day.handle(.evidence(.accelerometer, isActive: true))
      day.speed = 10
      day.pass(60)
      day.handle(.evidence(.accelerometer, isActive: false))
      day.speed = 0
      day.pass(200)
    }
    day.handle(.stopping)
    let state = day.drill.actions.reversed().lazy.compactMap { action in
      if case .save(let text) = action { text } else { nil }
    }.first
    return (day, try #require(state))
  }

  private func restarted(_ state: String, settings: TrackerSettings) -> Drill {
    let next = Drill(settings, now: .zero + .seconds(50_000))
    next.handle(.restored(state))
    next.handle(.evidence(.accelerometer, isActive: false))
    next.handle(.started(lastLocation: nil))
    return next
  }

  /// The first fix of a start that took so long, `pause` after the end of `day`.
  private func firstFix(_ next: Drill, after day: ScheduledDay, pause: Duration, taking: Duration) {
    next.now = next.now + taking
    var fix = Fix()
    fix.kind = .threeDimensional
    (fix.latitude, fix.longitude, fix.speed, fix.horizontalAccuracy) = (52, 13, 0, 4)
    let seconds = day.drill.now.nanoseconds / 1_000_000_000
    fix.timestamp = Timestamp(milliseconds: 1_772_000_000_000 + seconds * 1000) + pause + taking
    next.handle(.epoch(fix, systemClock: Timestamp(milliseconds: 0)))
  }

  @Test func learnedStartsAndTheAgeOfEphemeridesSurviveARestart() throws {
    let (day, state) = try learned()
    let before = try #require(day.drill.tracker.receiver.schedule)
    #expect(before.starts.family == .ubloxKeys && before.learnedStarts > 2)
    let read = try #require(before.ephemerides.lastRead)
    let next = restarted(state, settings: day.drill.tracker.settings)
    #expect(next.tracker.receiver.schedule?.starts == before.starts)
    #expect(next.tracker.receiver.schedule?.ephemerides.lastRead == nil)
    firstFix(next, after: day, pause: .seconds(600), taking: .seconds(2))
    let after = try #require(next.tracker.receiver.schedule)
    let age = try #require(after.ephemerides.age(now: next.now))
    let expected = day.drill.now - read + .seconds(602)
    #expect(abs((age - expected).inSeconds) < 1.5)
    // The first start after the restart was hot, and is learned as such.
    #expect(after.starts.text.contains("hot."))
    #expect(after.starts.expected(.warm, asleep: nil) == before.starts.expected(.warm, asleep: nil))
    #expect(after.starts.expected(.cold, asleep: nil) == before.starts.expected(.cold, asleep: nil))
  }

  @Test func ephemeridesLostWithTheSupplyDoNotCount() throws {
    let (day, state) = try learned()
    let next = restarted(state, settings: day.drill.tracker.settings)
    let before = try #require(next.tracker.receiver.schedule)
    firstFix(next, after: day, pause: .seconds(600), taking: .seconds(28))
    let after = try #require(next.tracker.receiver.schedule)
    #expect(after.ephemerides.lastRead == nil)
    #expect(after.starts.expected(.hot, asleep: nil) == before.starts.expected(.hot, asleep: nil))
    #expect(after.starts.expected(.cold, asleep: nil) != before.starts.expected(.cold, asleep: nil))
  }

  @Test(arguments: [Duration.seconds(5 * 3600), .seconds(-3600)])
  func ephemeridesTooOldOrInTheFutureAreIgnored(_ pause: Duration) throws {
    let (day, state) = try learned()
    let next = restarted(state, settings: day.drill.tracker.settings)
    firstFix(next, after: day, pause: pause, taking: .seconds(2))
    #expect(next.tracker.receiver.schedule?.ephemerides.lastRead == nil)
  }

  @Test func anotherReceiverFamilyStartsLearningAgain() throws {
    let (day, state) = try learned()
    let next = restarted(state, settings: day.drill.tracker.settings)
    next.handle(.receiverIdentified(.ubloxKeys))
    #expect(next.tracker.receiver.schedule?.starts == day.drill.tracker.receiver.schedule?.starts)
    next.handle(.receiverIdentified(.casic))
    #expect(next.tracker.receiver.schedule?.starts == StartCost(family: .casic))
  }

  @Test func aTripByHandKeepsTheLearnedStarts() throws {
    let (day, _) = try learned()
    let before = try #require(day.drill.tracker.receiver.schedule)
    day.handle(.trip(.start(.car)))
    #expect(day.drill.tracker.receiver.schedule == nil)
    day.handle(.trip(.stop))
    #expect(day.drill.tracker.receiver.schedule?.starts == before.starts)
    #expect(day.drill.tracker.receiver.schedule?.ephemerides.lastRead == before.ephemerides.lastRead)
  }

  @Test func changedCurrentsApplyImmediately() throws {
    let (day, _) = try learned()
    var settings = day.drill.tracker.settings
    settings.currents.tracking = 9
    day.handle(.settings(settings, changed: ["energy"]))
    #expect(day.drill.tracker.receiver.schedule?.currents.tracking == 9)
  }

  @Test func zonesTakePrecedenceIfTheStateIsFull() throws {
    var state = TrackerState()
    state.starts = StartCost(family: .casic)
    state.ephemeridesRead = Timestamp(milliseconds: 1_772_000_000_000)
    #expect(TrackerState(text: state.text, now: .zero) == state)
    for number in 0..<500 { state.zones["zone number \(number)"] = .outside }
    let text = state.text
    #expect(text.utf8.count <= TrackerState.longestText)
    let read = try #require(TrackerState(text: text, now: .zero))
    var withoutStarts = state
    withoutStarts.starts = nil
    withoutStarts.ephemeridesRead = nil
    #expect(read.zones == TrackerState(text: withoutStarts.text, now: .zero)?.zones)
  }
}
