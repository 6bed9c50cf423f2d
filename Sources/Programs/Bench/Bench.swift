import FoundationEssentials
import Glibc

/// Measurements of the parts with performance targets, run by `scripts/bench`. Nothing is asserted.
///
/// `Bench DIRECTORY [--json] [queue|delivery|decoding|writing|fifo]…` measures in a directory that it may
/// fill and that contains the released `outrider`. It starts itself as `Bench serve` and `Bench write
/// DIRECTORY GROUPS SIZE`.
enum Bench {
  static func run(_ words: [String]) -> Int32 {
    do {
      switch words.first {
      case "serve": try LoopbackServer.run(listener: STDIN_FILENO)
      case "write":
        guard words.count == 4, let groups = Int(words[2]), let size = Int(words[3]) else { return misused() }
        try QueueMeasurement.write(groups: groups, of: size, into: words[1])
      case let directory? where !directory.hasPrefix("-"):
        let chosen = words.dropFirst().filter { $0 != "--json" }
        guard chosen.allSatisfy({ parts.map(\.name).contains($0) }) else { return misused() }
        try measure(chosen, in: directory, asJSON: words.contains("--json"))
      case _: return misused()
      }
      return 0
    } catch {
      complain("bench: \(error)")
      return 1
    }
  }

  private static func complain(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = write(STDERR_FILENO, bytes, bytes.count)
  }

  private static func misused() -> Int32 {
    complain("usage: scripts/bench [--json] [\(parts.map(\.name).joined(separator: "|"))]…")
    return 2
  }

  private static let parts: [(name: String, measure: @Sendable (String) throws -> [Measurement])] = [
    ("queue", QueueMeasurement.run), ("delivery", DeliveryMeasurement.run),
    ("decoding", DecodingMeasurement.run), ("writing", WriteCostMeasurement.run),
    ("fifo", FIFOMeasurement.run),
  ]

  private static func measure(_ chosen: [String], in directory: String, asJSON: Bool) throws {
    let selected = parts.filter { chosen.isEmpty || chosen.contains($0.name) }
    let results = try selected.flatMap { try $0.measure(directory) }
    if asJSON {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys]
      print(String(decoding: try encoder.encode(["measurements": results]), as: UTF8.self))
    } else {
      print(Measurement.table(results))
    }
  }
}
