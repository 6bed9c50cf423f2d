import EventLoop
import Foundation
import Glibc
import HTTPServer
import Quantities
import TestSupport
import Testing
@testable import Daemon

/// The addresses of the local API come back, whatever removed or held them.
@Suite struct AddressRetryTests {
  @Test func aRemovedSocketIsMadeAgainWithinAMinuteOfUse() throws {
    let running = try LocalAPITests.logger(on: try HTTPBench.simulated())
    defer { running.logger.stop() }
    let socket = running.bench.directory + "/api.sock"
    try running.bench.run(for: .seconds(5))
    #expect(access(socket, F_OK) == 0)
    unlink(socket)
    // The loop is awake for another reason every second.
    for _ in 0..<125 { try running.bench.run(for: .seconds(1)) }
    #expect(access(socket, F_OK) == 0)
  }

  @Test func aSocketWhoseFolderWasRemovedIsMadeAgain() throws {
    let bench = try HTTPBench.simulated()
    let folder = bench.directory + "/run"
    let running = try LocalAPITests.logger(on: bench, extra: ["api.socket=\(folder)/api.sock"])
    defer { running.logger.stop() }
    try bench.run(for: .seconds(5))
    #expect(access(folder + "/api.sock", F_OK) == 0)
    try FileManager.default.removeItem(atPath: folder)
    for _ in 0..<125 { try bench.run(for: .seconds(1)) }
    #expect(access(folder + "/api.sock", F_OK) == 0)
    let answer = try bench.ask(running.port, "GET", "/status", headers: ["Authorization: Bearer sesame"])
    #expect(answer.status == 200)
  }

  @Test func aSocketThatAFileReplacedIsMadeWhenTheFileIsGone() throws {
    let bench = try HTTPBench.simulated()
    let running = try LocalAPITests.logger(on: bench)
    defer { running.logger.stop() }
    let socket = bench.directory + "/api.sock"
    try bench.run(for: .seconds(5))
    unlink(socket)
    #expect(FileManager.default.createFile(atPath: socket, contents: nil))
    for _ in 0..<125 { try bench.run(for: .seconds(1)) }
    #expect(running.logger.serving.isMissingAnAddress)
    #expect(FileManager.default.fileExists(atPath: socket), "a file of another program is kept")
    unlink(socket)
    try bench.run(for: .seconds(65))
    #expect(!running.logger.serving.isMissingAnAddress && access(socket, F_OK) == 0)
  }

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
