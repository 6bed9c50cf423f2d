import Foundation
import System
import Testing
@testable import Devices

@Suite struct StatusLightTests {
  @Test func aNamedLEDIsTakenFromItsTriggerAndSwitched() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try FileManager.default.createDirectory(atPath: folder + "/ACT", withIntermediateDirectories: true)
    func file(_ name: String) -> String { "\(folder)/ACT/\(name)" }
    func text(_ name: String) throws -> String { try String(contentsOfFile: file(name), encoding: .utf8) }
    for name in ["trigger", "brightness"] {
      try "".write(toFile: file(name), atomically: true, encoding: .utf8)
    }
    let light = try StatusLight(.named("ACT"), folder: folder)
    #expect(try text("trigger") == "none")
    #expect(try text("brightness") == "0")
    try light.show(true)
    #expect(try text("brightness") == "255")
  }

  @Test func theErrorNamesTheFileOfAMissingLED() {
    #expect(throws: SystemError(call: "open", subject: "/nowhere/ACT/trigger", number: ENOENT)) {
      try StatusLight(.named("ACT"), folder: "/nowhere")
    }
  }
}
