import Glibc
import Quantities
import Testing
import EventLoop
import System

@Suite struct EventLoopTests {
  /// Two ends of a pipe, both closed at the end of the test.
  struct Pipe {
    let reading: Int32
    let writing: Int32

    init() throws {
      var ends: [Int32] = [0, 0]
      try check("pipe", pipe(&ends))
      (reading, writing) = (ends[0], ends[1])
    }

    func close() {
      Glibc.close(reading)
      Glibc.close(writing)
    }
  }

  @Test func timersFireInTheOrderOfTheirDeadlines() throws {
    let loop = try EventLoop()
    var fired: [String] = []
    let start = loop.now
    let late = loop.addTimer("late") { _ in
      fired.append("late")
      loop.stop()
    }
    let early = loop.addTimer("early") { _ in fired.append("early") }
    late.arm(at: start + .milliseconds(20))
    early.arm(at: start + .milliseconds(5))
    try loop.run()
    #expect(fired == ["early", "late"])
    #expect(loop.now - start >= .milliseconds(20))
  }

  @Test func workForTheNextIterationRunsAfterOtherEventsAndThenTheLoopSleeps() throws {
    let loop = try EventLoop()
    let pipe = try Pipe()
    defer { pipe.close() }
    var order: [String] = []
    var turns: [UInt64] = []
    _ = try loop.watch(pipe.reading, for: .readable) { _ in
      var byte: UInt8 = 0
      read(pipe.reading, &byte, 1)
      order.append("descriptor")
    }
    func work() {
      order.append("work")
      turns.append(loop.turn)
      guard turns.count < 3 else { return }
      loop.callNextTurn(work)
      write(pipe.writing, "x", 1)
    }
    loop.callNextTurn(work)
    write(pipe.writing, "x", 1)
    let end = loop.addTimer("end") { _ in loop.stop() }
    end.arm(at: loop.now + .milliseconds(50))
    var all = 0
    loop.everyTurn { _ in all += 1 }
    try loop.run()
    #expect(order == ["descriptor", "work", "descriptor", "work", "descriptor", "work"])
    #expect(turns == [1, 2, 3])
    #expect(all <= 5)
  }

  @Test func workWithSlackJoinsTheLastWakeUpBeforeItsDeadline() throws {
    let loop = try EventLoop()
    let start = loop.now
    var beats = 0
    var wakeUps = 0
    loop.everyTurn { _ in wakeUps += 1 }
    var beatIn: Int?
    var committed: (beats: Int, wakeUp: Int)?
    var beat: LoopTimer?
    beat = loop.addTimer("beat") { _ in
      beats += 1
      beatIn = wakeUps
      beat?.arm(at: start + .milliseconds(100 * Int64(beats + 1)))
    }
    let commit = loop.addTimer("commit") { _ in
      committed = (beats, wakeUps)
      loop.stop()
    }
    beat?.arm(at: start + .milliseconds(100))
    commit.arm(at: start + .milliseconds(450), slack: .milliseconds(425))
    try loop.run()
    #expect(committed?.beats == 4)
    #expect(committed?.wakeUp == beatIn)
  }

  @Test func anEventOfAClosedAndReusedDescriptorIsNotDelivered() throws {
    let loop = try EventLoop()
    let pipe = try Pipe()
    defer { pipe.close() }
    var stale = 0
    let registration = try loop.watch(pipe.reading, for: .readable) { _ in stale += 1 }
    loop.remove(registration)
    var fresh = 0
    _ = try loop.watch(pipe.reading, for: .readable) { _ in
      fresh += 1
      loop.stop()
    }
    loop.remove(registration)
    #expect(write(pipe.writing, "x", 1) == 1)
    try loop.run()
    #expect(stale == 0)
    #expect(fresh == 1)
  }

  @Test func withoutInterestOnlyAHangUpIsReported() throws {
    let loop = try EventLoop()
    let pipe = try Pipe()
    defer { close(pipe.reading) }
    var seen: [EventLoop.Readiness] = []
    let registration = try loop.watch(pipe.reading, for: .readable) { readiness in
      seen.append(readiness)
      loop.stop()
    }
    try loop.change(registration, to: [])
    #expect(write(pipe.writing, "x", 1) == 1)
    let hangUp = loop.addTimer("hang up") { _ in close(pipe.writing) }
    hangUp.arm(at: loop.now + .milliseconds(10))
    try loop.run()
    #expect(seen == [.hangup])
  }

  @Test func signalsArriveBetweenEvents() throws {
    let signals = try SignalDescriptor([SIGUSR1])
    let loop = try EventLoop()
    var received: [Int32] = []
    _ = try loop.watch(signals.raw, for: .readable) { _ in
      while let signal = signals.next() { received.append(signal) }
      loop.stop()
    }
    pthread_kill(pthread_self(), SIGUSR1)
    try loop.run()
    #expect(received == [SIGUSR1])
  }
}

@Suite struct WorkerTests {
  @Test func jobsAreAnsweredInOrderAndAnUrgentAnswerWakesTheLoop() throws {
    let loop = try EventLoop()
    let worker = try Worker<Int, Int>(name: "test", capacity: 100) { outbox in
      { job in outbox.send(job * 2, urgent: job == 9) }
    }
    var answers: [Int] = []
    _ = try loop.watch(worker.descriptor, for: .readable) { _ in
      worker.acknowledgeSignal()
      answers += worker.takeAnswers()
      if answers.count == 10 { loop.stop() }
    }
    for job in 0..<10 { #expect(worker.post(job)) }
    try loop.run()
    #expect(answers == (0..<10).map { $0 * 2 })
    worker.finish()
    #expect(!worker.post(1))
  }

  @Test func followUpJobsAreDoneByTheWorker() throws {
    let worker = try Worker<Int, Int>(name: "test", capacity: 4) { outbox in
      { job in
        if job > 0 { _ = outbox.post(job - 1) }
        outbox.send(job, urgent: job == 0)
      }
    }
    let loop = try EventLoop()
    _ = try loop.watch(worker.descriptor, for: .readable) { _ in loop.stop() }
    #expect(worker.post(3))
    try loop.run()
    #expect(worker.takeAnswers() == [3, 2, 1, 0])
    worker.finish()
  }

  @Test func theQueueIsBounded() throws {
    let begun = try EventDescriptor(blocking: true)
    let gate = try EventDescriptor(blocking: true)
    let worker = try Worker<Int, Int>(name: "test", capacity: 4) { _ in
      { job in
        guard job == 0 else { return }
        begun.signal()
        gate.wait()
      }
    }
    #expect(worker.post(0))
    begun.wait()
    #expect((1..<20).filter { worker.post($0) }.count == 4)
    gate.signal()
    worker.finish()
  }
}
