import Foundation
import Settings
import Testing

@Suite struct BoardTests {
  static let directory = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("boards")

  static func files() throws -> [URL] {
    let files = try FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: nil)
    #expect(!files.isEmpty)
    return files
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

  @Test func theSystemOfABoardIsRead() throws {
    let read = try configuration(
      board: """
        { title: 'x', system: { overlays: ['i2c-rtc,ds3231'], parameters: ['dtparam=spi=on'], modules: ['i2c-dev'],
          console: 'off', services_off: ['serial-getty@ttyAMA0'], watchdog: '14s' } }
        """)
    #expect(read.boardSystem.bootLines == ["dtparam=spi=on", "dtoverlay=i2c-rtc,ds3231"])
    #expect(read.boardSystem.modules == ["i2c-dev"])
    #expect(read.boardSystem.console == .off)
    #expect(read.boardSystem.servicesOff == ["serial-getty@ttyAMA0"])
    #expect(read.boardSystem.watchdog == .seconds(14))
    #expect(try configuration(board: "{ title: 'x' }").boardSystem == SystemSettings())
  }

  static let wrongSystems: [(group: String, part: String)] = [
    ("{ overlay: [] }", "overlays"), ("{ overlays: 'disable-bt' }", "a list of"),
    ("{ overlays: ['a b'] }", "system.overlays[0]"),
    ("{ overlays: ['a\\nb'] }", "system.overlays[0]"), ("{ overlays: [''] }", "system.overlays[0]"),
    ("{ overlays: ['\(String(repeating: "x", count: 89))'] }", "88 characters"),
    ("{ parameters: ['enable_uart'] }", "KEY=VALUE"), ("{ parameters: ['over_voltage=6'] }", "enable_uart"),
    ("{ parameters: ['include=x'] }", "KEY=VALUE"),
    ("{ parameters: ['dtparam=rtc_bbat_vchg=3000000'] }", "rtc_bbat_vchg"),
    ("{ parameters: ['program_usb_boot_mode=1'] }", "KEY=VALUE"), ("{ modules: ['../x'] }", "kernel module"),
    ("{ console: 'on' }", "\"off\" or \"keep\""), ("{ services_off: ['-H'] }", "service"),
    ("{ services_off: ['hciuart.service'] }", "without the suffix"), ("{ services_off: ['a b'] }", "service"),
    ("{ watchdog: '60s' }", "system.watchdog"), ("{ watchdog: '5s' }", "system.watchdog"), ("[]", "system"),
  ]

  @Test(arguments: wrongSystems) func aWrongSystemIsRejected(group: String, part: String) {
    let errors = refusals(board: "{ title: 'x', system: \(group) }")
    #expect(errors.count == 1 && errors[0].contains(part), "\(errors)")
  }

  @Test func theSystemIsAllowedInBoardFilesOnly() {
    #expect(refusals(file: "{ system: { modules: [] } }").joined().contains("in a board file"))
  }
}
