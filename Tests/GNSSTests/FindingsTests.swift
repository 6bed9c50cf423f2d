import Foundation
import GNSSReceiver
import GNSSReport
import Testing

/// Inputs that once broke a promise (`scripts/fuzz`), and inputs written by hand.
@Suite struct FindingsTests {
  struct Finding: Sendable, CustomTestStringConvertible {
    let file: URL
    var testDescription: String { file.lastPathComponent }
    var bytes: [UInt8] { get throws { [UInt8](try Data(contentsOf: file)) } }
    /// The expected output of `outrider decode --as-recorded`.
    var reports: URL { file.appendingPathExtension("tpv") }
  }

  static let findings: [Finding] = {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
      "Findings")
    let files = try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    return (files ?? []).filter { !["md", "tpv"].contains($0.pathExtension) }
      .sorted { $0.lastPathComponent < $1.lastPathComponent }.map(Finding.init)
  }()

  @Test func thereAreFindingsAndReports() { #expect(!Self.findings.isEmpty && !Self.reported.isEmpty) }

  @Test(arguments: findings)
  func inputsThatOnceBrokeAPromiseKeepAllPromises(_ finding: Finding) throws {
    var promises = DecoderPromises()
    try finding.bytes.withUnsafeBytes { try promises.check($0) }
  }

  static let reported = findings.filter { FileManager.default.fileExists(atPath: $0.reports.path) }

  @Test(arguments: reported)
  func aGoldenInputGivesItsReports(_ finding: Finding) throws {
    var text: [UInt8] = []
    for fix in decode(try finding.bytes) { TPV.append(fix, to: &text) }
    let expected = try String(contentsOf: finding.reports, encoding: .utf8)
    #expect(String(decoding: text, as: UTF8.self) == expected)
  }
}
