import BoardSetup
import Glibc
import Quantities
import System

/// Performs the steps of a set-up, one at a time.
public protocol SetupPerforming {
  /// Performs one step completely or not at all.
  func perform(_ step: SetupStep) throws(SetupFailure)
}

/// Performs steps on the file system and runs the commands.
public struct SetupWriter: SetupPerforming {
  private let system: SetupSystem
  private let runner: (SystemCommand) -> String?

  /// Creates a writer. `runner` runs a command and returns its failure as text; nil if it succeeded.
  public init(_ system: SetupSystem, runner: @escaping (SystemCommand) -> String?) {
    self.system = system
    self.runner = runner
  }

  public func perform(_ step: SetupStep) throws(SetupFailure) {
    switch step {
    case .record(let record): try write(record)
    case .copy(_, let path, let bytes): try write(bytes, to: path)
    case .change(let change):
      guard try SetupSystem.read(change.path, limit: BootConfiguration.largest) == change.old else {
        throw .changedMeanwhile(change.path)
      }
      try write(change.new, to: change.path)
    case .run(let command):
      if let failure = runner(command) { throw .commands(["\(command.text): \(failure)"]) }
    }
  }

  private func write(_ record: SetupRecord?) throws(SetupFailure) {
    let path = system.root + SetupSystem.recordPath
    guard let record else { return try write([UInt8]?.none, to: path) }
    let json: [UInt8]
    do { json = try StoredRecord(record).json() } catch {
      throw .system(SystemError(call: "write", subject: path, number: EINVAL))
    }
    try write(json, to: path)
  }

  /// Writes a file through a temporary one, or removes it.
  private func write(_ bytes: [UInt8]?, to path: String) throws(SetupFailure) {
    do throws(SystemError) {
      guard let bytes else {
        if unlink(path) != 0, errno != ENOENT {
          throw SystemError(call: "unlink", subject: path, number: errno)
        }
        return
      }
      if let slash = path.lastIndex(of: "/") { try FileBytes.makeDirectory(String(path[..<slash])) }
      try FileBytes.replace(path, with: bytes, mode: 0o644)
    } catch {
      throw .system(error)
    }
  }

  /// Runs a command of the running system. Returns its failure as text; nil if it succeeded.
  public static func run(_ command: SystemCommand) -> String? {
    let folders = ["/usr/bin", "/bin", "/usr/sbin", "/sbin"]
    let name = command.words.first ?? ""
    let candidates: [String] = folders.map { "\($0)/\(name)" }
    guard let path = candidates.first(where: { access($0, X_OK) == 0 }) else {
      return "the program is not in \(folders.joined(separator: ", "))"
    }
    let limit = Duration.seconds(60)
    do {
      let program = try ChildProgram(path, Array(command.words.dropFirst()), input: [])
      guard let ending = program.waitForEnd(atMost: limit) else {
        program.kill()
        return "did not end within \(limit.components.seconds) s"
      }
      return ending.failure
    } catch {
      return "\(error)"
    }
  }
}

extension SetupPerforming {
  /// Performs all steps. If commands fail, the other ones are run, the change stays incomplete, and the failures are
  /// thrown at the end.
  public func perform(_ steps: [SetupStep], done: (SetupStep) -> Void = { _ in }) throws(SetupFailure) {
    var failures: [String] = []
    for step in steps {
      do throws(SetupFailure) {
        if !failures.isEmpty {
          guard case .run = step else { throw .commands(failures) }
        }
        try perform(step)
        done(step)
      } catch {
        guard case .run = step, case .commands(let texts) = error else { throw error }
        failures += texts
      }
    }
    if !failures.isEmpty { throw .commands(failures) }
  }
}
