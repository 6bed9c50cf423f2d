import Quantities
import Records
import Testing

@testable import Uplink

@Suite struct PacingTests {
  @Test func theWholeQueueIsSentOneByOneAfterTheInterval() {
    var bench = DeliveryBench {
      $0.batchSize = 1
      $0.largestRequest = 1
      $0.pacing = .whenDue
    }
    bench.send(.started)
    bench.record(1)
    bench.forgetLog()
    bench.advance(.seconds(10))
    bench.record(3)
    bench.advance(.seconds(289))
    #expect(bench.log.isEmpty)
    bench.advance(.seconds(1))
    #expect(
      bench.log.filter { $0.contains("post") } == [
        "300s post 2-2 current", "300s post 3-3 current", "300s post 4-4",
      ])
    #expect(bench.acknowledged == 4)
  }

  @Test func aBatchOfAnotherSizeIsShortened() {
    var bench = DeliveryBench {
      $0.largestRequest = 1
      $0.pacing = .whenDue
    }
    bench.newest = 4
    bench.send(.started)
    bench.advance(.seconds(10))
    #expect(bench.posted.map(\.records) == [1, 1, 1, 1])
    #expect(bench.acknowledged == 4)
  }

  @Test func onBatteryRetriesWaitForTheInterval() {
    var bench = DeliveryBench { $0.savesEnergy = true }
    bench.replies = Array(repeating: DeliveryBench.down, count: 1000)
    bench.send(.started)
    bench.record(1)
    bench.advance(.seconds(3600))
    #expect((12...15).contains(bench.posted.count))
    bench.send(.sendNow)
    #expect((13...16).contains(bench.posted.count))
  }

  /// A device whose destination is down from the start, and that departs after half an hour.
  struct MovingOff {
    var promise: String
    var savesEnergy = true
    var refusal = DeliveryBench.down
    var interval: Duration? = .seconds(3600)
    var isTried: Bool
  }

  static let departures = [
    MovingOff(promise: "a retry that waits for the interval is sent at the departure", isTried: true),
    MovingOff(
      promise: "Retry-After is respected",
      refusal: .refuse(Refusal(.busy, reason: "busy", retryAfter: .seconds(7200))), isTried: false),
    MovingOff(
      promise: "an expired Retry-After has no effect",
      refusal: .refuse(Refusal(.busy, reason: "busy", retryAfter: .seconds(60))), isTried: true),
    MovingOff(promise: "without a battery the back-off applies", savesEnergy: false, isTried: false),
  ]

  @Test(arguments: departures.indices)
  func aDepartureRetriesEarlyOnBattery(row: Int) {
    let row = Self.departures[row]
    var bench = DeliveryBench {
      $0.savesEnergy = row.savesEnergy
      $0.sendInterval = row.interval
    }
    bench.replies = Array(repeating: row.refusal, count: 1000)
    bench.send(.started)
    bench.record(1)
    bench.advance(.seconds(1800))
    let before = bench.posted.count
    bench.send(.startedMoving)
    #expect(bench.posted.count == before + (row.isTried ? 1 : 0), "\(row.promise)")
    // Stop and go: every departure causes one attempt, and there are none in between.
    bench.advance(.seconds(300))
    if row.savesEnergy { #expect(bench.posted.count == before + (row.isTried ? 1 : 0)) }
    bench.send(.sendNow)
    let last = bench.posted.count
    bench.send(.startedMoving)
    #expect(bench.posted.count == last, "sendNow has sent everything already")
  }

  @Test func aDepartureSendsNothingThatIsNotDue() {
    for isOff in [false, true] {
      var bench = DeliveryBench {
        $0.savesEnergy = true
        if isOff { $0.sendInterval = nil }
      }
      bench.send(.started)
      bench.record(1)
      bench.advance(.seconds(10))
      bench.record(1)
      let before = bench.posted.count
      bench.send(.startedMoving)
      #expect(bench.posted.count == before)
    }
  }

  /// What happens while sending is off, and the requests in the hour after it.
  struct Off: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var records: Int64 = 5
    var reply = DeliveryBench.down
    var requests = 1
    /// The number of requests to send, a minute apart.
    var asked = 1
  }

  static let off = [
    Off(testDescription: "the server is down"),
    Off(testDescription: "the server is busy", reply: .refuse(Refusal(.busy, reason: "503"))),
    Off(testDescription: "the server rejects the content", reply: .refuse(Refusal(.content, reason: "400"))),
    Off(
      testDescription: "Retry-After of a second",
      reply: .refuse(Refusal(.busy, reason: "429", retryAfter: .seconds(1)))),
    Off(testDescription: "the server does not answer", reply: .silence),
    Off(testDescription: "a queue of several batches", records: 25),
    Off(testDescription: "three requests to send", requests: 3, asked: 3),
  ]

  @Test(arguments: off)
  func whileSendingIsOffARequestCausesOneAttemptWithoutARetry(_ row: Off) {
    var bench = DeliveryBench { $0.sendInterval = nil }
    bench.replies = Array(repeating: row.reply, count: 1000)
    bench.send(.started)
    bench.record(row.records)
    for _ in 0..<row.asked {
      bench.send(.sendNow)
      bench.advance(.seconds(70))
    }
    bench.advance(.seconds(3600))
    bench.record(1)
    bench.send(.startedMoving)
    bench.send(.settingsChanged(bench.machine.settings))
    bench.advance(.seconds(86_400))
    #expect(bench.posted.count == row.requests && bench.machine.nextTimeout == nil)
    #expect(bench.acknowledged == 0)
    let failures = bench.log.filter { $0.contains("failing: ") }
    #expect(failures.count == 1 && failures.allSatisfy { $0.hasSuffix(", not retried") }, "\(failures)")
    // Later requests send the queue.
    bench.replies = []
    bench.send(.sendNow)
    bench.send(.sendNow)
    #expect(bench.acknowledged == bench.newest)
  }

  @Test func aRegularAttemptMayBeDelayedButNeverEarly() throws {
    var bench = DeliveryBench()
    bench.send(.started)
    bench.record(1)
    bench.advance(.seconds(10))
    #expect(bench.machine.nextWake == nil, "an empty queue causes no wake-up")
    bench.record(1)
    let wake = try #require(bench.machine.nextWake)
    #expect(wake.earliest == .zero + .seconds(300) && wake.due == wake.earliest)
    #expect(wake.latest == .zero + .seconds(360))
    #expect(bench.machine.handleTimeout(now: wake.earliest - .nanoseconds(1)) == [])
  }

  @Test(arguments: [1, 2, 3, 4, 5, 6, 7, 8] as [UInt64])
  func aRetryRespectsBackOffAndRetryAfter(seed: UInt64) throws {
    var bench = DeliveryBench(seed: seed)
    let asked = Refusal(.busy, reason: "busy", retryAfter: .seconds(90))
    bench.replies = Array(repeating: DeliveryBench.down, count: 4) + [.refuse(asked)]
    bench.send(.started)
    bench.record(1)
    for _ in 0..<5 {
      let due = try #require(bench.machine.nextTimeout)
      let wake = try #require(bench.machine.nextWake)
      #expect(wake.earliest == due && wake.due == due)
      #expect(wake.latest - due <= DeliveryMachine.longestRoom && wake.latest - due <= (due - bench.now) / 4)
      if bench.posted.count == 5 { #expect(due - bench.now == .seconds(90)) }
      bench.advance(due - bench.now)
    }
  }
}
