import EventLoop
import HTTPServer
import Quantities
import TestSupport
import Testing
@testable import Daemon

/// The addresses of the local API come back, whatever removed or held them.
@Suite struct AddressRetryTests {
  @Test func thePortOfGpsdIsServedWhenItIsFree() throws {
    let bench = try HTTPBench.simulated()
    let blocker = try HTTPServer(loop: bench.loop, listen: .tcp(address: "127.0.0.1", port: 0)) { _ in
      .json("")
    }
    let port = try #require(blocker.port)
    let running = try LocalAPITests.logger(on: bench, extra: ["share.gpsd=127.0.0.1:\(port)"])
    defer { running.logger.stop() }
    try bench.run(for: .seconds(3))
    #expect(running.logger.status.share?.gpsd.trouble != nil && running.logger.serving.isMissingAnAddress)
    blocker.stop()
    try bench.run(for: .seconds(30))
    #expect(running.logger.status.share?.gpsd.trouble == nil && !running.logger.serving.isMissingAnAddress)
  }

  @Test func aPortThatWasInUseIsServedWhenItIsFree() throws {
    let bench = try HTTPBench.simulated()
    let blocker = try HTTPServer(loop: bench.loop, listen: .tcp(address: "127.0.0.1", port: 0)) { _ in
      .json("")
    }
    let port = try #require(blocker.port)
    let running = try LocalAPITests.logger(on: bench, extra: ["api.listen=127.0.0.1:\(port)"])
    defer { running.logger.stop() }
    try bench.run(for: .seconds(3))
    blocker.stop()
    try bench.run(for: .seconds(30))
    let answer = try bench.ask(port, "GET", "/status", headers: ["Authorization: Bearer sesame"])
    #expect(answer.status == 200)
  }

  @Test func attemptsFollowAfterSecondsAndThenEachMinute() {
    var retry = AddressRetry()
    var now = Moment.zero
    var pauses: [Duration] = []
    for _ in 0..<6 {
      retry.attempted(isMissing: true, now: now)
      pauses.append((retry.next ?? now) - now)
      now = retry.next ?? now
    }
    #expect(pauses == [2, 5, 15, 60, 60, 60].map { .seconds($0) })
    retry.attempted(isMissing: false, now: now)
    #expect(retry.next == nil, "nothing wakes the loop")
  }
}
