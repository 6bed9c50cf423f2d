import EventLoop
import Foundation
import Quantities

/// A loop that runs until a condition is met, with a temporary directory.
public final class HTTPBench {
  public let loop: EventLoop
  public let directory: String
  private var condition: (() -> Bool)?

  /// With a simulated clock the loop does not sleep: when it is idle, the clock jumps to the next deadline.
  public init(simulating clock: SimulatedClock? = nil) throws {
    loop = if let clock { try EventLoop(simulating: clock) } else { try EventLoop() }
    directory = NSTemporaryDirectory() + "outrider-http-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    loop.everyTurn { [unowned self] _ in
      if condition?() ?? false { loop.stop() }
    }
  }

  /// A bench that does not sleep, at a time in 2026.
  public static func simulated() throws -> HTTPBench {
    try HTTPBench(simulating: SimulatedClock(timestamp: Timestamp(milliseconds: 1_782_000_000_000)))
  }

  deinit { try? FileManager.default.removeItem(atPath: directory) }

  /// Runs the loop until `condition` is met; false if that takes longer than `time`.
  public func run(for time: Duration = .seconds(20), until condition: @escaping () -> Bool) throws -> Bool {
    var isLate = false
    let deadline = loop.addTimer("test deadline") { _ in isLate = true }
    deadline.arm(at: loop.now + time)
    self.condition = { isLate || condition() }
    defer {
      self.condition = nil
      loop.removeTimer(deadline)
    }
    try loop.run()
    return condition()
  }

  /// Runs the loop for `time`.
  public func run(for time: Duration) throws {
    _ = try run(for: time) { false }
  }

  /// Sends one request on a separate connection and returns the answer.
  public func ask(
    _ port: UInt16?, _ method: String = "GET", _ target: String, headers: [String] = [],
    body: [UInt8]? = nil
  ) throws -> HTTPAnswer {
    let client = try RawHTTPClient(loop: loop, port: port ?? 0)
    client.send(RawHTTPClient.request(method, target, headers: headers + ["Connection: close"], body: body))
    guard try run(until: { client.isClosed || !client.answers.isEmpty }), let answer = client.answers.first
    else { throw HTTPBenchError.noAnswer(to: target, got: String(decoding: client.received, as: UTF8.self)) }
    return answer
  }
}

public enum HTTPBenchError: Error {
  case noAnswer(to: String, got: String)
  case cannotConnect(errno: Int32)
}

/// An answer as received.
public struct HTTPAnswer: Sendable {
  public var status: Int
  /// Names in lower case.
  public var headers: [String: String]
  public var body: [UInt8]

  public var text: String { String(decoding: body, as: UTF8.self) }
}
