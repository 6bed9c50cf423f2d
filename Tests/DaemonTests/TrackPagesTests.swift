import Foundation
import HTTPServer
import Quantities
import Records
import Store
import TestSupport
import Testing
@testable import Daemon

/// The pages of `GET /track` together show what one response would show: every point once, and every gap once.
@Suite struct TrackPagesTests {
  private static let start = Timestamp(milliseconds: 1_772_362_800_000)

  /// A running logger whose log has a location at each of these seconds.
  private static func logger(at seconds: [Int]) throws -> LocalAPITests.Running {
    let bench = try HTTPBench()
    let records = try seconds.enumerated().map { index, second in
      let coordinate = try #require(
        Coordinate(latitudeE7: 520_000_000 + Int32(index) * 2000, longitudeE7: 130_000_000))
      return LogRecord(
        moment: .zero + .seconds(second), time: start + .seconds(second), timeQuality: .receiver,
        body: .location(LocationRecord(coordinate: coordinate, deviceID: "van")))
    }
    let writer = LogWriter(
      directory: bench.directory + "/log", allowVolatile: true,
      options: LogOptions(bootID: "before", clock: { .zero }))
    _ = writer.handle(.append(records, urgent: false))
    _ = writer.handle(.close)
    let running = try LocalAPITests.logger(on: bench)
    #expect(try bench.run { running.logger.supervision.isReady })
    return running
  }

  private struct Track {
    var points: [Coordinate] = []
    var gaps: [Int64] = []
    var pages = 0
  }

  /// Reads all pages of at most `limit` points.
  private static func track(_ running: LocalAPITests.Running, limit: String) throws -> Track {
    let period = "from=2026-03-01T00:00:00Z&to=2026-04-01T00:00:00Z\(limit)"
    var (track, after) = (Track(), "")
    while track.pages < 10_000 {
      let answer = try LocalAPITests.ask(running, "GET", "/track?\(period)\(after)")
      let page = try #require(try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any])
      let gaps = try #require(page["gaps"] as? [[String: Any]])
      track.points += PrivateHistoryTests.columns(["points": page["points"] ?? []])
      track.gaps += gaps.compactMap { $0["from"] as? Int64 }
      track.pages += 1
      guard let next = page["next"] as? Int64 else { break }
      after = "&after=\(next)"
    }
    return track
  }

  @Test(arguments: [1, 2, 3, 7, 40]) func everyGapAppearsOnceWhereverAPageEnds(limit: Int) throws {
    // Runs of one to five locations; the gaps between them have two lengths.
    var (seconds, second, starts): ([Int], Int, [Int]) = ([], 0, [])
    for run in 0..<30 {
      for _ in 0...run % 5 {
        seconds.append(second)
        second += 1
      }
      starts.append(second - 1)
      second += run % 2 == 0 ? 121 : 4000
    }
    starts.removeLast()
    let running = try Self.logger(at: seconds)
    defer { running.logger.stop() }
    let whole = try Self.track(running, limit: "")
    let expected = starts.map { (Self.start + .seconds($0)).milliseconds }
    // The last gap lasts until the end of the period, or the log.
    #expect(whole.gaps.prefix(expected.count) == expected[...] && whole.points.count == seconds.count)
    let paged = try Self.track(running, limit: "&limit=\(limit)")
    #expect(paged.gaps == whole.gaps, "limit \(limit)")
    #expect(paged.points == whole.points && paged.pages >= seconds.count / limit, "limit \(limit)")
  }

  @Test func moreGapsThanAPageHoldsAreContinuedOnTheNext() throws {
    let count = 2500
    let running = try Self.logger(at: (0...count).map { $0 * 300 })
    defer { running.logger.stop() }
    let track = try Self.track(running, limit: "")
    let expected = (0..<count).map { (Self.start + .seconds($0 * 300)).milliseconds }
    #expect(Array(track.gaps.prefix(count)) == expected, "\(track.gaps.count) gaps in \(track.pages) pages")
    #expect(track.pages == 3 && track.points.count == count + 1)
  }
}
