import Foundation
import Settings
import Testing
import TextSnapshots

/// The configurations that come with the program have no setting without effect, except intentionally.
@Suite struct ShippedConfigurationTests {
  static let texts = TextSnapshot("settings")

  private static let root = BoardTests.directory.deletingLastPathComponent()

  private func source(_ file: URL) throws -> SourceText {
    SourceText(name: file.lastPathComponent, bytes: Array(try Data(contentsOf: file)))
  }

  private func warnings(_ file: SourceText, board: SourceText? = nil) throws -> [String] {
    try Configuration.read(
      board: board, file: file, overrides: [], fallbacks: Fallbacks(deviceID: "van", apiSocket: "/x")
    ).warnings(on: .complete)
  }

  /// The configurations in the README.
  private var readme: [SourceText] {
    get throws {
      let text = try String(contentsOf: Self.root.appendingPathComponent("README.md"), encoding: .utf8)
      return text.components(separatedBy: "```json5\n").dropFirst().map { block in
        let body = block.components(separatedBy: "```")[0].trimmingCharacters(in: .whitespacesAndNewlines)
        return SourceText(name: "README.md", bytes: Array((body.hasPrefix("{") ? body : "{ \(body) }").utf8))
      }
    }
  }

  @Test func theReadmesConfigurationsHaveNoSettingWithoutEffectOnAnyBoard() throws {
    let files = try readme
    #expect(!files.isEmpty)
    for board in try BoardTests.files() {
      for file in files {
        #expect(try warnings(file, board: source(board)) == [], "\(board.lastPathComponent)")
      }
    }
  }

  /// Reads a board file as a configuration, as when an operator copies it. An unused component in it is intentional.
  @Test func aBoardFileUsedAsAConfigurationHasNoSettingWithoutEffect() throws {
    for board in try BoardTests.files() {
      var text = String(decoding: try source(board).bytes, as: UTF8.self)
      // Title, system and notes are allowed in board files only; the last two are at the end.
      if let title = text.range(of: #"  title: "[^\n]*\n"#, options: .regularExpression) {
        text.removeSubrange(title)
      }
      if let end = text.range(of: "  system: {") ?? text.range(of: "  notes: [") {
        text = text[..<end.lowerBound] + "}"
      }
      #expect(
        try warnings(SourceText(name: "b", bytes: Array(text.utf8))) == [], "\(board.lastPathComponent)")
    }
  }

  static let frozen: [(name: String, board: String?, warnings: Int)] = [
    ("readme", "raspberry-pi-zero-2w", 0),
    ("usb", nil, 0),
    ("gpsd", nil, 0),
    ("field", "field-unit", 0),
    // The charge of a vehicle is unknown in percent, and its board has no accelerometer.
    ("vehicle", "cm4-telematics", 2),
    ("destinations", nil, 1),
  ]

  @Test(arguments: frozen)
  func theFrozenConfigurationsHaveTheExpectedSettingsWithoutEffect(
    name: String, board: String?, warnings: Int
  ) throws {
    let folder = Self.root.appendingPathComponent("Tests/Compatibility/0.1.0/configurations")
    let file = try source(folder.appendingPathComponent("\(name).json5"))
    let board = try board.map { try source(BoardTests.directory.appendingPathComponent("\($0).json5")) }
    let found = try self.warnings(file, board: board).filter { $0.contains(": has no effect because ") }
    #expect(found.count == warnings)
    guard warnings > 0 else { return }
    let text = found.joined(separator: "\n")
    #expect(text == Self.texts.expected("frozen configuration: \(name)", text))
  }
}
