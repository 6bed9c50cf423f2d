import Foundation
import LocalAPI
import Quantities
import TestSupport
import Testing
@testable import Daemon

/// `GET /stream?live=1` of a logger whose epochs wait in the line's buffer to save power.
@Suite struct LiveStreamTests {
  /// The number of epochs of each `fix` message in the text of a stream.
  private static func epochs(_ text: Substring) throws -> [Int] {
    try text.split(separator: "\n\n").filter { $0.contains("event: fix\n") }.map { message in
      let line = try #require(message.split(separator: "\n").last { $0.hasPrefix("data: ") })
      let list = try JSONSerialization.jsonObject(with: Data(line.dropFirst(6).utf8)) as? [Any]
      return list?.count ?? 0
    }
  }

  @Test func everyEpochArrivesAtOnceForTwoMinutesAndThenTheyWaitAgain() throws {
    let bench = try HTTPBench.simulated()
    let talker = try ModuleTalker(loop: bench.loop, .ublox10) { $0.savedSpeed = 115_200 }
    let logger = try LocalAPITests.logger(
      on: bench,
      extra: [
        "receiver.port=\(talker.terminal.path)", "receiver.speed=115200", "receiver.gather=4s",
        "main.pause_automatically=false",
      ]
    ).logger
    defer { logger.stop() }
    #expect(try bench.run(for: .seconds(200)) { logger.status.tracker?.state == .tracking })
    try bench.run(for: .seconds(60))

    let client = try RawHTTPClient(loop: bench.loop, path: bench.directory + "/api.sock")
    client.send(RawHTTPClient.request("GET", "/stream?live=1"))
    func text() -> String { String(decoding: client.received, as: UTF8.self) }
    #expect(try bench.run { text().contains("event: status") })
    // The first message may hold the epochs that waited before.
    try bench.run(for: .seconds(5))
    let start = text().count
    try bench.run(for: .seconds(100))
    let live = try Self.epochs(text().dropFirst(start))
    #expect(live.count > 80 && live.allSatisfy { $0 == 1 }, "\(live)")

    try bench.run(for: .seconds(60))
    #expect(logger.stream?.wantsLive == false && logger.stream?.hasClients == true)
    let later = text().count
    try bench.run(for: .seconds(60))
    let gathered = try Self.epochs(text().dropFirst(later))
    #expect(gathered.reduce(0, +) > 40 && gathered.contains { $0 > 1 }, "\(gathered)")
    #expect(gathered.count < 30, "\(gathered)")
  }
}
