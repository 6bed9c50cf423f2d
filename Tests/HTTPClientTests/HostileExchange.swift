import EventLoop
import HTTPClient
import System
import Testing

/// One request to a hostile server.
enum HostileExchange {
  /// Performs the request. Expects one of `ends`, a status or the name of a failure, no long turn of the loop and no growth.
  static func perform(_ request: HTTPClientRequest, ends: [String]) throws -> HTTPOutcome {
    let loop = try EventLoop()
    let client = try HTTPClient(loop: loop)
    var ended: HTTPOutcome?
    let before = ProcessUsage.now().anonymousBytes ?? 0
    client.perform(request) {
      ended = $0
      loop.stop()
    }
    #expect(try loop.runUntilStopped())
    let grown = (ProcessUsage.now().anonymousBytes ?? 0) - before
    let outcome = try #require(ended)
    let end: String =
      switch outcome {
      case .response(let response): "\(response.status)"
      case .failure(let failure): String("\(Mirror(reflecting: failure).children.first?.label ?? "")")
      }
    #expect(ends.contains(end), "\(end): \(outcome)")
    if case .failure(let failure) = outcome {
      #expect(!failure.description.contains("emory"), "\(failure)")
    }
    #expect(loop.turnTimes.longest < .milliseconds(100), "\(loop.turnTimes)")
    #expect(grown < 48 * 1024 * 1024, "\(grown) bytes")
    return outcome
  }
}
