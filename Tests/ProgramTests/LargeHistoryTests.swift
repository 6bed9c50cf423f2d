import Foundation
import Glibc
import LocalAPI
import Quantities
import Records
import Store
import Synchronization
import System
import Testing

@testable import outrider

/// The histories of a very long log: pages, memory, and other requests meanwhile. With OUTRIDER_WHOLE the log has
/// 100,000 gaps, or 3,000,000 locations. The times are printed, not tested.
@Suite(
  .serialized,
  .enabled(if: wholeRecordings, "takes many minutes without optimization; run with OUTRIDER_WHOLE=1"))
struct LargeHistoryTests {
  static let start = Timestamp(milliseconds: 1_640_995_200_000)

  /// A running logger with `count` locations, one every `seconds`.
  private static func bench(_ count: Int, every seconds: Int) throws -> LoggerBench {
    let bench = try LoggerBench(url: nil)
    try FileManager.default.createDirectory(atPath: bench.log, withIntermediateDirectories: true)
    let (log, _) = try LogDatabase.open(
      StorageDirectory(bench.log, allowVolatile: true),
      options: LogOptions(bootID: "before", clock: { .zero }))
    for first in stride(from: 0, to: count, by: 20_000) {
      _ = try log.append(
        (first..<min(first + 20_000, count)).compactMap { number -> LogRecord? in
          // A zigzag, of which the simplification keeps every turn.
          guard
            let coordinate = Coordinate(
              latitudeE7: 520_000_000 + Int32(number % 3_000_000) * 20,
              longitudeE7: 130_000_000 + (number / 60 % 2 == 0 ? Int32(number % 60) : 60 - Int32(number % 60))
                * 2000)
          else { return nil }
          var location = LocationRecord(coordinate: coordinate, deviceID: "van")
          location.horizontalAccuracyMillimetres = 3000
          location.motion = .driving
          return LogRecord(
            moment: .zero, time: start + .seconds(number * seconds), timeQuality: .receiver,
            body: .location(location))
        })
    }
    try log.close()
    try bench.start()
    let socket = bench.scratch.path("api.sock")
    #expect(
      eventually(within: .seconds(60)) { (try? LocalCall.ask(socket, .get, "/status")) != nil },
      "\(bench.standardError)")
    return bench
  }

  /// The figures of one response.
  private struct Figures {
    var bytes = 0
    var seconds = 0.0
    /// The growth of the logger's anonymous memory in bytes, at its highest.
    var growth = 0
    /// The times of `outrider status` meanwhile in seconds, sorted.
    var waits: [Double] = []
    var text = ""
  }

  private static func memory(_ bench: LoggerBench) -> Int {
    let path = "/proc/\(bench.program?.processID ?? 0)/status"
    return ProcessUsage(Array(((try? String(contentsOfFile: path, encoding: .utf8)) ?? "").utf8))
      .anonymousBytes ?? 0
  }

  private static func status(_ bench: LoggerBench) throws -> Double {
    let begun = SystemClock.moment()
    let outcome = try FaultTests.run(
      ["status", "--json", "--config", bench.scratch.path("config.json5")], in: bench.scratch)
    #expect(outcome.status == 0 && outcome.output.contains(#""running":true"#), "\(outcome.errors)")
    return (SystemClock.moment() - begun).inSeconds
  }

  /// Fetches a target with curl, and runs `outrider status` again and again meanwhile.
  private static func fetch(_ bench: LoggerBench, _ target: String, repeats: Bool = true) throws -> Figures {
    var figures = Figures()
    let before = memory(bench)
    let file = bench.scratch.path("answer")
    let begun = SystemClock.moment()
    let curl = try Program(
      [
        "-sS", "--fail", "--unix-socket", bench.scratch.path("api.sock"), "-o", file,
        "http://localhost\(target)",
      ], in: bench.scratch, executable: "/usr/bin/curl")
    while curl.isRunning {
      if repeats {
        figures.waits.append(try status(bench))
      } else {
        poll(nil, 0, 5)
      }
      figures.growth = max(figures.growth, memory(bench) - before)
    }
    #expect(curl.exitStatus(within: .seconds(1)) == 0, "\(target): \(curl.standardError)")
    figures.seconds = (SystemClock.moment() - begun).inSeconds
    figures.waits.sort()
    figures.text = try String(contentsOfFile: file, encoding: .utf8)
    figures.bytes = figures.text.utf8.count
    return figures
  }

  /// Prints and checks what all responses have to keep.
  private static func check(_ name: String, _ figures: Figures, idle: Double) {
    let (median, longest) = (
      figures.waits.isEmpty ? 0 : figures.waits[figures.waits.count / 2], figures.waits.last ?? 0
    )
    func rounded(_ value: Double) -> Double { (value * 1000).rounded() / 1000 }
    print(
      "history: \(name): \(figures.bytes) B in \(rounded(figures.seconds)) s, memory +\(figures.growth / 1024) KiB, "
        + "status \(rounded(median)) s (median), \(rounded(longest)) s (longest of \(figures.waits.count)), idle \(rounded(idle)) s"
    )
    #expect(figures.growth < 16 << 20, "\(name)")
  }

  @Test func manyGapsAreExplainedInPagesAndBoundedMemory() throws {
    let count = wholeRecordings ? 100_000 : 2500
    let bench = try Self.bench(count + 1, every: 300)
    let idle = try (0..<5).map { _ in try Self.status(bench) }.sorted()[2]
    let end = Self.start + .seconds((count + 1) * 300)
    let period = "from=2022-01-01T00:00:00Z&to=\(end.iso8601())"

    let why = try Self.fetch(bench, "/why?\(period)")
    Self.check("\(count) gaps, /why", why, idle: idle)
    #expect(why.text.components(separatedBy: #"{"from":"#).count - 1 == count)
    let timeline = try Self.fetch(bench, "/timeline?\(period)")
    Self.check("\(count) gaps, /timeline", timeline, idle: idle)
    let object = try JSONSerialization.jsonObject(with: Data(timeline.text.utf8)) as? [String: Any]
    let rows = object?["rows"] as? [[String: Any]]
    let gaps = rows?.first { $0["name"] as? String == "gaps" }?["spans"] as? [Any]
    #expect(gaps?.count == 1000 && object?["truncated"] as? Bool == true)

    var found: [Int64] = []
    var after = ""
    var pages = 0
    var worst = Figures()
    for _ in 0...count / 900 {
      let page = try Self.fetch(bench, "/track?\(period)\(after)", repeats: pages == 0)
      if pages == 0 { Self.check("\(count) gaps, a page of /track", page, idle: idle) }
      worst.growth = max(worst.growth, page.growth)
      pages += 1
      let track = try JSONSerialization.jsonObject(with: Data(page.text.utf8)) as? [String: Any]
      let list = (track?["gaps"] as? [[String: Any]]) ?? []
      #expect(list.count <= 1000 + 3)
      found += list.compactMap { $0["from"] as? Int64 }
      guard let next = track?["next"] as? Int64 else { break }
      after = "&after=\(next)"
    }
    #expect(worst.growth < 16 << 20)
    #expect(
      found == (0..<count).map { (Self.start + .seconds($0 * 300)).milliseconds },
      "\(found.count) in \(pages) pages")
    let gpx = try Self.fetch(bench, "/export.gpx")
    Self.check("\(count) gaps, /export.gpx", gpx, idle: idle)
    #expect(gpx.text.components(separatedBy: "<trkseg>").count - 1 >= count)
    #expect(bench.stopsInGoodOrder())
  }

  @Test func aLongTrackComesInPagesAndBoundedMemory() throws {
    let count = wholeRecordings ? 3_000_000 : 25_000
    let bench = try Self.bench(count, every: 1)
    let idle = try (0..<5).map { _ in try Self.status(bench) }.sorted()[2]
    let end = Self.start + .seconds(count)
    let period = "from=2022-01-01T00:00:00Z&to=\(end.iso8601())"
    var (points, pages, after) = (0, 0, "")
    for _ in 0...count / 19_000 {
      let page = try Self.fetch(bench, "/track?\(period)\(after)", repeats: pages == 0)
      if pages == 0 { Self.check("\(count) points, a page of /track", page, idle: idle) }
      #expect(page.growth < 16 << 20)
      pages += 1
      let tail = page.text.suffix(200)
      points += try Int(#require(tail.firstMatch(of: /"count":([0-9]+)/)).1) ?? 0
      guard let next = tail.firstMatch(of: /"next":([0-9]+)/)?.1 else { break }
      after = "&after=\(next)"
    }
    #expect(points == count && pages <= count / 20_000 + 1, "\(points) points in \(pages) pages")
    let thin = try Self.fetch(bench, "/track?\(period)&resolution_m=5")
    Self.check("\(count) points, /track with 5 m", thin, idle: idle)
    let day = try Self.fetch(bench, "/days")
    Self.check("\(count) points, /days", day, idle: idle)
    let timeline = try Self.fetch(bench, "/timeline?\(period)")
    Self.check("\(count) points, /timeline", timeline, idle: idle)
    #expect(timeline.text.contains(#""state""#) || timeline.text.contains("tracking"))
    let why = try Self.fetch(bench, "/why?\(period)")
    Self.check("\(count) points, /why", why, idle: idle)
    for format in ["csv", "gpx"] {
      let export = try Self.fetch(bench, "/export.\(format)")
      Self.check("\(count) points, /export.\(format)", export, idle: idle)
      let mark = format == "csv" ? "\r\n" : "<trkpt"
      #expect(export.text.components(separatedBy: mark).count - 1 >= count)
    }
    #expect(bench.stopsInGoodOrder())
  }
}
