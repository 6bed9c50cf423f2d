import Foundation
import Settings
import Testing

/// What comes with the program has no setting without effect, but where it is meant.
@Suite struct ShippedConfigurationTests {
  private static let root = BoardTests.directory.deletingLastPathComponent()

  private func source(_ file: URL) throws -> SourceText {
    SourceText(name: file.lastPathComponent, bytes: Array(try Data(contentsOf: file)))
  }

  private func warnings(_ file: SourceText, board: SourceText? = nil) throws -> [String] {
    try Configuration.read(
      board: board, file: file, overrides: [], fallbacks: Fallbacks(deviceID: "van", apiSocket: "/x")
    ).warnings(on: .complete)
  }

  /// The configurations of the README, and those of the manual that the frozen version stands for.
  private var readme: [SourceText] {
    get throws {
      let text = try String(contentsOf: Self.root.appendingPathComponent("README.md"), encoding: .utf8)
      return text.components(separatedBy: "```json5\n").dropFirst().map { block in
        let body = block.components(separatedBy: "```")[0].trimmingCharacters(in: .whitespacesAndNewlines)
        return SourceText(name: "README.md", bytes: Array((body.hasPrefix("{") ? body : "{ \(body) }").utf8))
      }
    }
  }

  @Test func noBoardBringsASettingWithoutEffectToTheReadmesConfigurations() throws {
    let files = try readme
    #expect(files.count >= 2)
    for board in try BoardTests.files() {
      for file in files {
        #expect(try warnings(file, board: source(board)) == [], "\(board.lastPathComponent)")
      }
    }
  }

  /// A board as a file of its own, as an operator copies one: a part that it describes but nothing uses is meant.
  @Test func aBoardTakenForAConfigurationHasASettingWithoutEffectOnlyIfItIsMeant() throws {
    for board in try BoardTests.files() {
      var text = String(decoding: try source(board).bytes, as: UTF8.self)
      // These two stand in board files alone.
      if let title = text.range(of: #"  title: "[^\n]*\n"#, options: .regularExpression) {
        text.removeSubrange(title)
      }
      if let notes = text.range(of: "  notes: [") {
        text = text[..<notes.lowerBound] + "}"
      }
      #expect(
        try warnings(SourceText(name: "b", bytes: Array(text.utf8))) == [], "\(board.lastPathComponent)")
    }
  }

  static let frozen: [(name: String, board: String?, says: [String])] = [
    ("readme", "raspberry-pi-zero-2w", []),
    ("usb", nil, []),
    ("gpsd", nil, []),
    ("field", "field-unit", []),
    // A vehicle's charge is not known in percent, and its box has no accelerometer.
    (
      "vehicle", "cm4-telematics",
      [
        "power.low: has no effect: supply is vehicle, not battery",
        "power.critical: has no effect: supply is vehicle, not battery",
      ]
    ),
    (
      "destinations", nil,
      [
        "destinations[14] (all-keys): batch_size: has no effect: its logging_mode sends the newest position alone; leave it out"
      ]
    ),
  ]

  @Test(arguments: frozen)
  func theFrozenConfigurationsHaveTheSettingsWithoutEffectThatAreMeant(
    name: String, board: String?, says: [String]
  ) throws {
    let folder = Self.root.appendingPathComponent("Tests/Compatibility/0.1.0/configurations")
    let file = try source(folder.appendingPathComponent("\(name).json5"))
    let board = try board.map { try source(BoardTests.directory.appendingPathComponent("\($0).json5")) }
    let found = try warnings(file, board: board).filter { $0.contains("has no effect") }
    #expect(found == says)
  }
}
