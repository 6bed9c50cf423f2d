import Quantities
import Testing

@testable import Uplink

/// The reports of outages: each once, and few of a server that fails every second request.
@Suite struct OutageReportsTests {
  /// Reports of a series of attempts, with their times.
  struct Trace {
    var reports = OutageReports()
    var now = Moment.zero
    var times: [Moment] = []
    var isFailing = false

    mutating func attempt(succeeds: Bool, isUnrouted: Bool = false) {
      if succeeds {
        guard reports.succeed(now: now) != nil else { return }
        #expect(isFailing, "a recovery without an outage")
        isFailing = false
      } else {
        guard reports.fail(isUnrouted: isUnrouted, now: now) else { return }
        isFailing = true
      }
      times.append(now)
    }

    /// The most reports in any hour.
    var mostPerHour: Int {
      var (most, first) = (0, 0)
      for (index, time) in times.enumerated() {
        while time - times[first] >= .seconds(3600) { first += 1 }
        most = max(most, index - first + 1)
      }
      return most
    }
  }

  /// A value whose changes can be part of an expectation.
  final class Reporter {
    private var reports = OutageReports()

    func fail(isUnrouted: Bool = false, now: Moment) -> Bool {
      reports.fail(isUnrouted: isUnrouted, now: now)
    }
    func succeed(now: Moment) -> Int? { reports.succeed(now: now) }
  }

  @Test func aSingleOutageIsReportedWithItsFirstFailureAndItsFirstSuccess() {
    let reports = Reporter()
    #expect(reports.succeed(now: .zero) == nil)
    #expect(reports.fail(now: .zero + .seconds(1)))
    #expect(!reports.fail(now: .zero + .seconds(2)))
    #expect(reports.succeed(now: .zero + .seconds(3)) == 2)
    #expect(reports.succeed(now: .zero + .seconds(4)) == nil)
  }

  static let relapses: [(after: Int64, recovers: Int64)] = [(1, 1200), (3599, 1200), (3600, 1), (90_000, 1)]

  @Test(arguments: relapses)
  func afterARelapseTheRecoveryMustHold(after: Int64, recovers: Int64) {
    let reports = Reporter()
    _ = reports.fail(now: .zero)
    #expect(reports.succeed(now: .zero) == 1)
    let relapse = Moment.zero + .seconds(after)
    #expect(reports.fail(now: relapse), "a failure is never withheld")
    #expect(
      reports.succeed(now: relapse + .seconds(recovers) - .milliseconds(1)) == (recovers == 1 ? 1 : nil))
    guard recovers > 1 else { return }
    #expect(reports.succeed(now: relapse + .seconds(recovers)) == 1)
    // The next relapse needs twice the time, and an hour at most.
    var now = relapse + .seconds(recovers)
    for proof in [2400, 3600, 3600] as [Int64] {
      #expect(reports.fail(now: now))
      #expect(!reports.fail(now: now + .seconds(1)))
      #expect(reports.succeed(now: now + .seconds(proof)) == nil)
      now = now + .seconds(proof + 1)
      #expect(reports.succeed(now: now) == 2)
    }
  }

  @Test func aMissingSubscriberIsReportedOnceMoreInAnOutage() {
    let reports = Reporter()
    #expect(reports.fail(now: .zero))
    #expect(reports.fail(isUnrouted: true, now: .zero))
    #expect(!reports.fail(now: .zero) && !reports.fail(isUnrouted: true, now: .zero))
    #expect(reports.succeed(now: .zero) == 4)
  }

  @Test(arguments: [1, 2, 3, 4, 5] as [UInt64], [500, 2000, 10_000, 60_000, 300_000, 900_000] as [Int64])
  func aDayWithHalfOfTheAttemptsFailedHasFewReports(seed: UInt64, intervalMilliseconds: Int64) {
    var random = SplitMix64(seed: seed)
    var trace = Trace()
    let interval = Duration.milliseconds(intervalMilliseconds)
    while trace.now < .zero + .seconds(86_400) {
      trace.attempt(succeeds: Bool.random(using: &random))
      trace.now = trace.now + interval
    }
    let label: Comment = "seed \(seed), every \(intervalMilliseconds) ms: \(trace.times.count) reports"
    #expect(trace.mostPerHour <= 5, label)
    #expect(trace.times.count <= 60, label)
    // The server is repaired.
    let end = trace.now + .seconds(3600) + interval
    while trace.now <= end {
      trace.attempt(succeeds: true)
      trace.now = trace.now + interval
    }
    #expect(!trace.isFailing, label)
  }

  /// A server that fails as soon as a recovery is reported, or an hour later, has the most reports.
  @Test(arguments: [1, 2, 3, 4, 5, 6, 7, 8] as [UInt64], [false, true])
  func noServerHasMoreThanFiveReportsInAnHour(seed: UInt64, isBroker: Bool) {
    var random = SplitMix64(seed: seed)
    var trace = Trace()
    while trace.now < .zero + .seconds(4 * 86_400) {
      trace.attempt(succeeds: false)
      if isBroker { trace.attempt(succeeds: false, isUnrouted: true) }
      while trace.isFailing {
        trace.attempt(succeeds: true)
        trace.now = trace.now + .seconds(trace.isFailing ? 60 : 1)
      }
      if Int.random(in: 0..<3, using: &random) == 0 { trace.now = trace.now + .seconds(3600) }
    }
    #expect(trace.mostPerHour <= (isBroker ? 8 : 5), "seed \(seed): \(trace.mostPerHour)")
  }

  @Test func aMachineReportsAFlappingServerOnceAndItsStateIsThePresentOne() {
    var bench = DeliveryBench { $0.sendInterval = .seconds(1) }
    bench.send(.started)
    for _ in 0..<600 {
      bench.replies = [DeliveryBench.down]
      bench.record(1)
      bench.advance(.seconds(1))
      #expect((bench.machine.failures > 0) == (bench.machine.lastRefusal != nil))
      bench.advance(.seconds(4))
      #expect(bench.machine.failures == 0 && bench.machine.lastRefusal == nil)
    }
    let reports = bench.log.filter { $0.contains("failing") || $0.contains("recovered") }
    #expect(reports.count == 3, "\(reports)")
    bench.advance(.seconds(1200))
    bench.record(1)
    bench.advance(.seconds(1))
    #expect(bench.log.last?.contains("recovered after ") == true)
  }

  @Test func changedSettingsOfTheDestinationStartNoOtherOutage() {
    var bench = DeliveryBench { $0.sendInterval = .seconds(1) }
    bench.send(.started)
    for _ in 0..<20 {
      bench.replies = [DeliveryBench.down]
      bench.record(1)
      bench.advance(.seconds(5))
      bench.succeed()
    }
    #expect(bench.log.count { $0.contains("failing") || $0.contains("recovered") } == 3, "\(bench.log)")
  }
}
