import Glibc
import Settings
import TestSupport
import Testing

@testable import Daemon

/// What the check of a configuration learns of this machine.
@Suite struct MachineFactsTests {
  private func warning(_ path: String) throws -> String? {
    let configuration = try Configuration.read(
      board: nil, file: nil, overrides: ["notifications=\(path)"],
      fallbacks: Fallbacks(deviceID: "van", apiSocket: "/x"))
    return configuration.warnings(on: .host).first
  }

  @Test func aProgramThatCannotBeRunIsReportedWithItsPath() throws {
    let bench = try HTTPBench()
    let path = "\(bench.directory)/program"
    #expect(try warning(path) == "notifications: has no effect because \(path) does not exist")
    #expect(
      try warning("/dev/null/program")
        == "notifications: has no effect because /dev/null/program does not exist")
    #expect(
      try warning(bench.directory)
        == "notifications: has no effect because \(bench.directory) is not a program")
    let file = open(path, O_CREAT | O_WRONLY, 0o644)
    #expect(file >= 0)
    close(file)
    #expect(
      try warning(path) == "notifications: has no effect because \(path) is not executable (chmod +x)")
    #expect(chmod(path, 0o755) == 0)
    #expect(try warning(path) == nil)
  }
}
