import Foundation
import Glibc
import System

/// The built program on a pseudo-terminal that a test types on.
final class PseudoTerminal {
  private let process = Process()
  private let master: Int32
  private let line: Int32
  private(set) var output = ""
  /// The length of the output when a key was typed last.
  private var typedAt = 0

  init(_ words: [String], in directory: Scratch, environment: [String: String]) throws {
    var (master, line): (Int32, Int32) = (0, 0)
    guard openpty(&master, &line, nil, nil, nil) == 0 else {
      throw SystemError(call: "openpty", number: errno)
    }
    (self.master, self.line) = (master, line)
    _ = fcntl(master, F_SETFL, O_NONBLOCK)
    let handle = FileHandle(fileDescriptor: line, closeOnDealloc: false)
    process.executableURL = URL(fileURLWithPath: Program.executable)
    process.arguments = words
    process.currentDirectoryURL = directory.url
    process.standardInput = handle
    process.standardOutput = handle
    process.standardError = handle
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    try process.run()
  }

  deinit {
    if process.isRunning { Glibc.kill(process.processIdentifier, SIGKILL) }
    close(master)
    close(line)
  }

  /// Waits until the new output, since the last call of ``type(_:)``, ends with a text; false after 20 s.
  func shows(_ end: String) -> Bool {
    eventually(within: .seconds(20)) {
      read()
      return output.count > typedAt && output.hasSuffix(end)
    }
  }

  func type(_ text: String) {
    typedAt = output.count
    _ = Glibc.write(master, text, text.utf8.count)
  }

  /// Sends SIGINT, as Ctrl-C does in a session of its own.
  func interrupt() { Glibc.kill(process.processIdentifier, SIGINT) }

  /// Returns the exit status; nil if the program still runs after 20 s.
  func exitStatus() -> Int32? {
    guard eventually(within: .seconds(20), { !self.process.isRunning }) else { return nil }
    read()
    process.waitUntilExit()
    return process.terminationStatus
  }

  private func read() {
    var chunk = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = Glibc.read(master, &chunk, chunk.count)
      guard count > 0 else { return }
      output += String(decoding: chunk[..<count], as: UTF8.self)
    }
  }
}
