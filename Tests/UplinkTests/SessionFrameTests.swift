import HostileJSON
import Quantities
import Testing

@testable import MQTTClient

/// The frames between the logger and the process of a connection.
@Suite struct SessionFrameTests {
  private static func connection(_ version: MQTTVersion) -> SessionConnection {
    var broker = MQTTBroker(host: "::1", port: 65_535, isEncrypted: version == .five, clientID: "a")
    broker.password = version == .five ? "geheim ß" : nil
    broker.clientKeyFile = version == .five ? nil : ""
    let will = MQTTMessage(topic: "t", payload: [0, 255], isRetained: true)
    return SessionConnection(
      broker: broker, version: version, will: version == .five ? will : nil,
      subscription: version == .five ? nil : "c")
  }

  static let requests: [SessionRequest] = [
    .connect(connection(.five)), .connect(connection(.threeOneOne)), .close,
    .publish(.max, MQTTMessage(topic: "", payload: [], isRetained: false)),
  ]

  static let failures: [MQTTFailure] = [
    .nameNotResolved(broker: "b"), .unreachable(broker: "b", reason: "r"), .tls(broker: "b", reason: ""),
    .versionRefused(broker: "b", reason: "r", isStated: true),
    .versionRefused(broker: "b", reason: "r", isStated: false), .notAdmitted(broker: "b", reason: "r"),
    .busy(broker: "b"), .topicRefused(broker: "b", topic: "t", reason: "r"),
    .messageRefused(broker: "b", reason: "r"), .interrupted(broker: "b", reason: "r"), .flooded(broker: "b"),
    .faulty(broker: "b", reason: "r"), .crashed(broker: "b", reason: "r", wasConnected: true),
    .invalid(reason: "r"), .notAccepted(broker: "b", reason: "r"),
  ]

  static let reports: [SessionReport] =
    [
      .started, .reached, .connected(receiveMaximum: 1), .published(1), .unrouted(2), .notSubscribed("n"),
      .received(MQTTMessage(topic: "t", payload: [1], isRetained: true)),
    ] + failures.map { SessionReport.ended($0) } + failures.map { SessionReport.refused(7, $0) }

  @Test func everyFrameIsReadAsItWasWritten() throws {
    var frames = SessionFrames(longest: 1000)
    for request in Self.requests {
      // Byte by byte.
      for byte in request.frame.dropLast() {
        frames.append([byte])
        let early = try frames.next()
        #expect(early == nil)
      }
      frames.append(request.frame.suffix(1))
      let frame = try #require(try frames.next())
      #expect(try SessionRequest(frame) == request)
    }
    frames.append(Self.reports.flatMap(\.frame))
    for report in Self.reports {
      let frame = try #require(try frames.next())
      #expect(try SessionReport(frame) == report)
    }
    let more = try frames.next()
    #expect(more == nil)
  }

  @Test func aFrameBeyondTheLimitIsAnError() {
    var frames = SessionFrames(longest: 1000)
    frames.append([0, 0, 3, 233])
    #expect(throws: SessionFrameError.self) { try frames.next() }
    frames = SessionFrames(longest: 1000)
    frames.append([255, 255, 255, 255, 0])
    #expect(throws: SessionFrameError.self) { try frames.next() }
  }

  @Test(arguments: 0..<20)
  func noBytesOfTheProcessEndTheLogger(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for frame in Self.reports.map(\.frame) + Self.requests.map(\.frame) {
      for _ in 0..<50 {
        var bytes = frame
        for _ in 0...Int.random(in: 0..<4, using: &random) {
          bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
        }
        var frames = SessionFrames(longest: 1000)
        frames.append(bytes + bytes)
        while let next = try? frames.next() {
          _ = try? SessionReport(next)
          _ = try? SessionRequest(next)
        }
      }
    }
  }
}
