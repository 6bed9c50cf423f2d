import Foundation
import Quantities
import TestSupport
import Testing

/// What the page shows of whole recorded days, compared with the commands.
@Suite(
  .serialized,
  .enabled(
    if: SharedRecordings.arePresent,
    "recordings are absent: put them in ../shared, or name their folder in OUTRIDER_SHARED"))
struct RecordedDayTests {
  /// A gap of the timeline, or of `outrider why`, to the second.
  private struct Gap: CustomStringConvertible {
    var from: Int64
    var to: Int64?
    var kind: String
    var sentence: String

    var description: String { "\(from)…\(to.map { "\($0)" } ?? "") \(kind): \(sentence)" }
  }

  private struct Explained: Decodable, Equatable {
    struct Reason: Decodable, Equatable {
      var kind: String
      var time: String
    }
    var from: String
    var to: String?
    var sentence: String
    var reasons: [Reason]
    var perhaps: Reason?

    /// The kinds that a timeline may show for this gap.
    var kinds: [String] { reasons.isEmpty ? [perhaps?.kind ?? "unknown"] : reasons.map(\.kind) }
    func seconds(_ text: String) -> Int64? { Timestamp(iso8601: text)?.wholeSeconds }
  }

  private static let days: [(name: String, settings: [String])] = [
    ("geo_u084_d14136", []),
    ("geo_u147_d15039", ["main.min_time=30s"]),
    ("geo_u052_d14082", ["main.check_interval=15m"]),
    ("geo_u064_d14111", ["main.min_distance=20m"]),
    ("geo_u020_d15229", ["main.pause_automatically=false"]),
    ("geo_u096_d14079", ["main.tracking_mode=significant"]),
  ]

  /// Two of them, unless whole recordings are played.
  private static let chosen = Array(days.prefix(wholeRecordings ? days.count : 2))

  @Test(arguments: chosen)
  func theTimelineShowsTheGapsThatWhyPrints(name: String, settings: [String]) throws {
    let scratch = try Scratch()
    let port = try freePort()
    let day = try RecordedDay(
      name, settings: settings + ["api.listen=127.0.0.1:\(port)", "api.token=sesame"])
    try day.run()
    defer { day.stop() }
    for hours in [0, 5, 12, 18] as [Int64] {
      let from = RecordedDay.start + .seconds(hours * 3600)
      let shown = try timeline(day, port, from: from)
      let printed = try explained(day, from: from, in: scratch)
      #expect(hours > 0 || shown.count > 3)
      #expect(shown.count == printed.count, "from \(hours) h")
      for (gap, expected) in zip(shown, printed) {
        // A span of the timeline begins with the period.
        let start = max(expected.seconds(expected.from) ?? 0, from.wholeSeconds)
        #expect(
          gap.from == start && gap.to == expected.to.flatMap(expected.seconds)
            && gap.sentence == expected.sentence && expected.kinds.contains(gap.kind),
          "from \(hours) h: \(gap) is not \(expected)")
      }
      #expect(try listed(day, port, from: from) == printed, "GET /why from \(hours) h")
      // What explains a gap does not depend on where the period begins.
      let whole = try explained(day, from: RecordedDay.start, in: scratch)
      #expect(
        printed.allSatisfy(whole.contains), "from \(hours) h: \(printed.filter { !whole.contains($0) })")
    }
  }

  /// The gaps of `GET /why`.
  private func listed(_ day: RecordedDay, _ port: UInt16, from: Timestamp) throws -> [Explained] {
    struct Answer: Decodable {
      var gaps: [Explained]
    }
    return try JSONDecoder().decode(
      Answer.self, from: Data(try ask(day, port, "/why?from=\(from.iso8601())"))
    ).gaps
  }

  private func ask(_ day: RecordedDay, _ port: UInt16, _ target: String) throws -> [UInt8] {
    let answer = try day.bench.ask(port, "GET", target, headers: ["Authorization: Bearer sesame"])
    #expect(answer.status == 200, "\(answer.text)")
    return answer.body
  }

  private func timeline(_ day: RecordedDay, _ port: UInt16, from: Timestamp) throws -> [Gap] {
    let answer = try ask(day, port, "/timeline?from=\(from.iso8601())")
    let body = try JSONSerialization.jsonObject(with: Data(answer)) as? [String: Any]
    let rows = body?["rows"] as? [[String: Any]] ?? []
    let gaps = rows.first { $0["name"] as? String == "gaps" }
    return (gaps?["spans"] as? [[Any]] ?? []).compactMap { span in
      guard span.count == 4, let from = span[0] as? NSNumber, let kind = span[2] as? String,
        let sentence = span[3] as? String
      else { return nil }
      return Gap(
        from: from.int64Value / 1000, to: (span[1] as? NSNumber).map { $0.int64Value / 1000 }, kind: kind,
        sentence: sentence)
    }
  }

  private func explained(_ day: RecordedDay, from: Timestamp, in scratch: Scratch) throws -> [Explained] {
    let program = try Program(
      [
        "why", "--json", "--since", from.iso8601(), "--set", "storage.directory=\(day.bench.directory)/log",
      ], in: scratch)
    #expect(program.exitStatus(within: .seconds(60)) == 0, "\(program.standardError)")
    return try program.standardOutput.split(separator: "\n").map {
      try JSONDecoder().decode(Explained.self, from: Data($0.utf8))
    }
  }
}
