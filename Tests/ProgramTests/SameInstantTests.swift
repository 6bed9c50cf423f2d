import Foundation
import Glibc
import Quantities
import Testing

/// Two loggers that start in the same instant: one gets the log and the socket, the other one ends.
@Suite struct SameInstantTests {
  @Test func theLoggerThatGetsTheLogServesTheSocket() throws {
    for round in 1...12 {
      let scratch = try Scratch()
      let file = try scratch.write(
        "config.json5",
        """
        { device_id: "twin", destinations: [], receiver: { port: "/dev/null" },
          storage: { directory: "\(scratch.path("log"))", allow_volatile: true },
          api: { socket: "\(scratch.path("api.sock"))" } }
        """)
      let programs = try (0..<2).map { _ in try Program(["run", "--config", file], in: scratch) }
      let isDecided = eventually(within: .seconds(20)) { programs.count { $0.isRunning } == 1 }
      #expect(isDecided, "round \(round)")
      #expect(eventually(within: .seconds(10)) { access(scratch.path("api.sock"), F_OK) == 0 })
      let again = try Program(["status", "--config", file], in: scratch)
      #expect(again.exitStatus(within: .seconds(20)) == 0)
      #expect(again.standardOutput.contains("running for"), "round \(round): \(again.standardOutput)")
      // Without its socket it is still seen, by its lock.
      unlink(scratch.path("api.sock"))
      let hidden = try Program(["status", "--config", file], in: scratch)
      #expect(hidden.exitStatus(within: .seconds(20)) == 0)
      #expect(hidden.standardOutput.contains("running, but not listening"), "\(hidden.standardOutput)")
      for program in programs { program.send(SIGTERM) }
      for program in programs { _ = program.exitStatus(within: .seconds(10)) }
    }
  }
}
