import Glibc
import Settings
import TestSupport
import Testing
import TextSnapshots

import Daemon

/// The facts about the host that the check of a configuration uses.
@Suite struct MachineFactsTests {
  private func warning(_ path: String) throws -> String? {
    let configuration = try Configuration.read(
      board: nil, file: nil, overrides: ["notifications=\(path)"],
      fallbacks: Fallbacks(deviceID: "van", apiSocket: "/x"))
    return configuration.warnings(on: .host).first
  }

  @Test func aProgramThatCannotRunIsReportedWithItsPath() throws {
    let bench = try HTTPBench()
    let path = "\(bench.directory)/program"
    func check(_ path: String, _ name: String) throws {
      let text = try #require(try warning(path)).replacing(bench.directory, with: "DIRECTORY")
      #expect(text == TextSnapshot("daemon").expected("notifications: \(name)", text))
    }
    try check(path, "no such program")
    try check("/dev/null/program", "no such directory")
    try check(bench.directory, "a directory")
    let file = open(path, O_CREAT | O_WRONLY, 0o644)
    #expect(file >= 0)
    close(file)
    try check(path, "not executable")
    #expect(chmod(path, 0o755) == 0)
    #expect(try warning(path) == nil)
  }
}
