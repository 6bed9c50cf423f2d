import Foundation
import Glibc
import Quantities
import System

/// The built program in a process of its own.
final class Program {
  /// The executable of this build.
  static let executable: String = {
    let tests = ProcessEnvironment.executable ?? CommandLine.arguments[0]
    return URL(fileURLWithPath: tests).deletingLastPathComponent().appendingPathComponent("outrider").path
  }()

  private let process = Process()
  private let errors: URL
  private let output: URL

  /// Starts `outrider`, or another program, with these arguments; its output goes to files in `directory`.
  init(
    _ words: [String], in directory: Scratch, environment: [String: String] = [:],
    executable: String = Program.executable
  ) throws {
    let number = directory.nextNumber()
    errors = directory.url.appendingPathComponent("stderr-\(number)")
    output = directory.url.appendingPathComponent("stdout-\(number)")
    for file in [errors, output] { _ = FileManager.default.createFile(atPath: file.path, contents: nil) }
    process.executableURL = URL(fileURLWithPath: executable)
    process.arguments = words
    process.standardInput = FileHandle.nullDevice
    process.standardError = try FileHandle(forWritingTo: errors)
    process.standardOutput = try FileHandle(forWritingTo: output)
    process.environment = ProcessInfo.processInfo.environment
      // No test reads the configuration of the host.
      .merging([
        "RUNTIME_DIRECTORY": directory.url.path, "OUTRIDER_CONFIG": directory.path("no-config.json5"),
      ]) { $1 }
      .merging(environment) { $1 }
    try process.run()
  }

  deinit { if process.isRunning { Glibc.kill(process.processIdentifier, SIGKILL) } }

  var processID: Int32 { process.processIdentifier }
  var isRunning: Bool { process.isRunning }

  func send(_ signal: Int32) { Glibc.kill(process.processIdentifier, signal) }

  /// Returns the exit status, or the negative number of the signal; nil if the program still runs after `limit`.
  func exitStatus(within limit: Duration) -> Int32? {
    guard eventually(within: limit, { !self.process.isRunning }) else { return nil }
    process.waitUntilExit()
    return process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
  }

  var standardError: String { (try? String(contentsOf: errors, encoding: .utf8)) ?? "" }
  var standardOutput: String { (try? String(contentsOf: output, encoding: .utf8)) ?? "" }
}

/// Polls a condition every few milliseconds. Returns true as soon as it holds, false after `limit`.
func eventually(
  within limit: Duration, every milliseconds: Int32 = 5, _ condition: () throws -> Bool
) rethrows -> Bool {
  let end = SystemClock.moment() + limit
  while true {
    if try condition() { return true }
    guard SystemClock.moment() < end else { return false }
    poll(nil, 0, milliseconds)
  }
}
