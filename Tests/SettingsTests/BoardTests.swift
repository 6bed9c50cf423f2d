import Foundation
import Settings
import Testing

@Suite struct BoardTests {
  static let directory = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("boards")

  static func files() throws -> [URL] {
    try FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: nil)
  }

  static func read(_ file: URL) throws -> Configuration {
    let source = SourceText(name: file.lastPathComponent, bytes: Array(try Data(contentsOf: file)))
    return try Configuration.read(
      board: source, file: nil, overrides: [], fallbacks: Fallbacks(deviceID: "", apiSocket: "/x"))
  }

  @Test func everyBoardFileIsValid() throws {
    let files = try Self.files()
    #expect(files.count >= 7)
    for file in files {
      let name = file.deletingPathExtension().lastPathComponent
      #expect(file.pathExtension == "json5")
      #expect(BoardChoice(name) == .named(name), "no name selects the file")
      #expect(throws: Never.self, "\(file.lastPathComponent)") {
        let board = try Self.read(file)
        #expect(board.receiver.port == nil || board.receiver.gpsd == nil)
        #expect(board.boardTitle != nil)
      }
    }
  }

  @Test func theRaspberryPiUsesTheHeaderUART() throws {
    let board = try Self.read(Self.directory.appendingPathComponent("raspberry-pi-zero-2w.json5"))
    #expect(board.receiver.port == "/dev/serial0")
    #expect(board.origins["receiver.port"] == .board)
    #expect(!board.boardNotes.isEmpty)
  }

  @Test func theSimulatorNamesNoPort() throws {
    let board = try Self.read(Self.directory.appendingPathComponent("simulator.json5"))
    #expect(board.receiver.port == nil)
    #expect(board.receiver.gpsd == nil)
  }
}
