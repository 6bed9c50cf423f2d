import Foundation
import Testing

@testable import Settings

/// The settings in the README's table of destinations are valid.
@Suite struct DestinationTableTests {
  @Test func everyRowOfTheTableIsADestination() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let text = try String(contentsOf: root.appendingPathComponent("README.md"), encoding: .utf8)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let head = try #require(lines.firstIndex(of: "| server | settings |"))
    let rows = lines[(head + 2)...].prefix { $0.hasPrefix("| ") }
    #expect(rows.count > 10)
    for row in rows {
      let words = row.split(separator: "|").last.map { $0.split(separator: "`").map(String.init) } ?? []
      let settings = try #require(words.first { $0.hasPrefix("kind: ") }, "\(row)")
      let beside = words.firstIndex(of: "destinations").flatMap { words.dropFirst($0 + 2).first } ?? ""
      let file = "{ destinations: [{ name: 'x', \(settings) }], \(beside) }"
      let read = try configuration(file: file)
      #expect(read.destinations.count == 1, "\(row)")
      #expect(beside.isEmpty || read.deviceID == "user/device")
    }
  }
}
