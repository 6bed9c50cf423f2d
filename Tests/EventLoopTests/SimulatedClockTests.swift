import Glibc
import Quantities
import Testing
import EventLoop
import System

@Suite struct SimulatedClockTests {
  static let start = Timestamp(milliseconds: 1_782_000_000_000)

  @Test func theLoopJumpsToEachDeadlineInOrder() throws {
    let clock = SimulatedClock(moment: .zero, timestamp: Self.start)
    let loop = try EventLoop(simulating: clock)
    var fired: [String] = []
    let timer = loop.addTimer("hourly") { _ in }
    let hourly = loop.addTimer("repeating") { [unowned timer] now in
      fired.append("\(now.nanoseconds / 1_000_000_000)")
      timer.arm(at: now + .seconds(600))
    }
    hourly.arm(at: .zero + .seconds(3600))
    let second = loop.addTimer("second") { now in fired.append("second \(now.nanoseconds / 1_000_000_000)") }
    second.arm(at: .zero + .seconds(3601))
    try loop.advance(by: .seconds(7200))
    #expect(fired == ["3600", "second 3601"])
    #expect(loop.now == .zero + .seconds(7200))
    #expect(loop.clock.timestamp() == Self.start + .seconds(7200))
  }

  @Test func aTimerAtTheEndOfAnAdvanceIsCalledAndALaterOneWaits() throws {
    let loop = try EventLoop(simulating: SimulatedClock(moment: .zero, timestamp: Self.start))
    var fired: [Int] = []
    let timers = [10, 11].map { seconds in
      let timer = loop.addTimer("timer") { _ in fired.append(seconds) }
      timer.arm(at: .zero + .seconds(seconds))
      return timer
    }
    try loop.advance(by: .seconds(10))
    #expect(fired == [10])
    try loop.advance(by: .seconds(1))
    #expect(fired == [10, 11] && timers.allSatisfy { !$0.isArmed })
  }

  @Test func eventsOfDescriptorsComeBeforeTimePasses() throws {
    let loop = try EventLoop(simulating: SimulatedClock(moment: .zero, timestamp: Self.start))
    let event = try EventDescriptor(blocking: false)
    var moments: [Moment] = []
    _ = try loop.watch(event.raw, for: .readable) { _ in
      event.wait()
      moments.append(loop.now)
    }
    let timer = loop.addTimer("timer") { _ in event.signal() }
    timer.arm(at: .zero + .seconds(5))
    let later = loop.addTimer("later") { now in moments.append(now) }
    later.arm(at: .zero + .nanoseconds(5_000_000_001))
    try loop.advance(by: .seconds(10))
    #expect(moments == [.zero + .seconds(5), .zero + .nanoseconds(5_000_000_001)])
  }

  @Test func timeStandsStillUntilAThreadHasFinished() throws {
    let loop = try EventLoop(simulating: SimulatedClock(moment: .zero, timestamp: Self.start))
    let worker = try Worker<Int, Int>(name: "slow", capacity: 4) { outbox in
      { job in
        // Real work of a thread, longer than a network is awaited.
        usleep(200_000)
        outbox.send(job, urgent: false)
      }
    }
    loop.awaitInSimulation(.thread) { worker.isBusy }
    var answered: [Moment] = []
    loop.everyTurn { now in
      if worker.hasAnswers { answered += worker.takeAnswers().map { _ in now } }
    }
    #expect(worker.post(1))
    let timer = loop.addTimer("timer") { _ in }
    timer.arm(at: .zero + .seconds(1))
    try loop.advance(by: .seconds(10))
    #expect(answered == [.zero])
    worker.finish()
  }

  @Test func aPeerThatNeverAnswersDoesNotStopTime() throws {
    let loop = try EventLoop(simulating: SimulatedClock(moment: .zero, timestamp: Self.start))
    loop.awaitInSimulation(.peer) { true }
    try loop.advance(by: .seconds(60))
    #expect(loop.now == .zero + .seconds(60))
  }

  @Test func aTimerOfALibraryKeepsRealTime() throws {
    let loop = try EventLoop(simulating: SimulatedClock(moment: .zero, timestamp: Self.start))
    var fired = false
    let timer = loop.addSystemTimer("library") { _ in
      fired = true
      loop.stop()
    }
    timer.arm(after: .seconds(60))
    try loop.advance(by: .seconds(3600))
    #expect(!fired)
    timer.arm(after: .milliseconds(20))
    try loop.run()
    #expect(fired && loop.now == .zero + .seconds(3600))
  }

  @Test func stepAndSuspensionChangeOnlyTheirClocks() {
    let clock = SimulatedClock(moment: .zero, timestamp: Self.start)
    clock.suspend(for: .seconds(100))
    #expect(clock.moment() == .zero + .seconds(100) && clock.suspended() == .seconds(100))
    #expect(clock.timestamp() == Self.start + .seconds(100) && clock.error() == nil)
    clock.step(to: Timestamp(milliseconds: 0), error: .milliseconds(5))
    #expect(clock.timestamp().milliseconds == 0 && clock.error() == .milliseconds(5))
    #expect(clock.moment() == .zero + .seconds(100))
  }
}
