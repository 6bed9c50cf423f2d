import Foundation
import Settings
import Testing

/// Checks that README.md and the pages of `docs/` agree with the program.
@Suite struct DocumentationTests {
  private static let program = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
    .deletingLastPathComponent().appendingPathComponent("outrider")
  private static let boards = Documentation.root.appendingPathComponent("boards").path

  /// Runs a command in the root of the repository; returns its output, errors and exit status.
  private static func run(_ executable: URL, _ words: [String]) throws -> (
    output: String, errors: String, status: Int32
  ) {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "documents-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (output, errors) = (folder.appendingPathComponent("out"), folder.appendingPathComponent("err"))
    for file in [output, errors] { _ = FileManager.default.createFile(atPath: file.path, contents: nil) }
    let process = Process()
    process.executableURL = executable
    process.arguments = words
    process.currentDirectoryURL = Documentation.root
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = try FileHandle(forWritingTo: output)
    process.standardError = try FileHandle(forWritingTo: errors)
    process.environment = [
      "PATH": program.deletingLastPathComponent().path + ":/usr/local/bin:/usr/bin:/bin", "HOME": folder.path,
      "TMPDIR": folder.path, "OUTRIDER_BOARDS": boards, "LANG": "C.UTF-8",
    ]
    try process.run()
    process.waitUntilExit()
    return (
      try String(contentsOf: output, encoding: .utf8), try String(contentsOf: errors, encoding: .utf8),
      process.terminationStatus
    )
  }

  // MARK: Generated pages

  /// Compares a page with the output of `outrider reference`. `OUTRIDER_RENEW_TEXTS=1` writes the pages.
  @Test(arguments: ["settings", "commands", "events", "boards", "doctor", "metrics"])
  func theGeneratedPageIsUpToDate(name: String) throws {
    let outcome = try Self.run(Self.program, ["reference", name])
    #expect(outcome.status == 0, "\(outcome.errors)")
    let file = Documentation.root.appendingPathComponent("docs/\(name).md")
    if ProcessInfo.processInfo.environment["OUTRIDER_RENEW_TEXTS"] == "1" {
      try outcome.output.write(to: file, atomically: true, encoding: .utf8)
    }
    let page = try String(contentsOf: file, encoding: .utf8)
    #expect(page == outcome.output, "docs/\(name).md is stale; write it with: outrider reference \(name)")
  }

  // MARK: Settings

  static let settings = SettingsReference.all

  @Test(arguments: settings.indices) func theDescriptionOfASettingHasAtMost25WordsPerSentence(_ index: Int) {
    let setting = Self.settings[index]
    let sentences = setting.sentence.replacing("e.g. ", with: "").split(separator: ". ")
    #expect(!sentences.isEmpty)
    for sentence in sentences {
      let words = sentence.split(separator: " ").count
      #expect(words <= 25, "\(setting.path): \(words) words: \(sentence)")
    }
  }

  // MARK: Examples

  @Test func everyConfigurationExampleIsValid() throws {
    let blocks = try Documentation.blocks("json5")
    #expect(blocks.count > 40)
    let packaged = Documentation.root.appendingPathComponent("scripts/debian/extra/examples/config.json5")
    let text = try String(contentsOf: packaged, encoding: .utf8)
    let commented = text.replacing("  //receiver", with: "  receiver").replacing(
      "  //privacy", with: "  privacy")
    for block in blocks + [.init(place: packaged.path, language: "json5", text: commented)] {
      let file = FileManager.default.temporaryDirectory.appendingPathComponent(
        "example-\(UUID().uuidString).json5")
      defer { try? FileManager.default.removeItem(at: file) }
      try block.text.write(to: file, atomically: true, encoding: .utf8)
      let outcome = try Self.run(Self.program, ["set", "--list", "--config", file.path])
      #expect(outcome.status == 0, "\(block.place): \(outcome.errors)")
    }
  }

  @Test func everyJSONExampleIsValid() throws {
    let blocks = try Documentation.blocks("json")
    #expect(!blocks.isEmpty)
    for block in blocks {
      #expect(throws: Never.self, "\(block.place)") {
        try JSONSerialization.jsonObject(with: Data(block.text.utf8), options: .fragmentsAllowed)
      }
    }
  }

  @Test func everyRunnableExampleSucceeds() throws {
    let blocks = try Documentation.blocks("sh run")
    #expect(blocks.count >= 3)
    for block in blocks {
      let outcome = try Self.run(URL(fileURLWithPath: "/bin/sh"), ["-euc", block.text])
      #expect(outcome.status == 0, "\(block.place): \(outcome.errors)")
    }
  }
}
