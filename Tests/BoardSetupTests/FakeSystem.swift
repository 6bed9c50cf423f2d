import BoardSetup
import Foundation
import Settings
import SetupFiles
import Synchronization
import Testing

/// A tree of files in the form of a Raspberry Pi's system, in a temporary directory that is removed at the end.
final class FakeSystem {
  let root: String
  var system: SetupSystem { SetupSystem(root: root) }
  /// The commands that were run.
  let commands = Mutex<[String]>([])
  /// A command that fails.
  var failing: String?

  init(bootFolder: String? = "/boot/firmware", configuration: [UInt8], commandLine: [UInt8]?) throws {
    root = FileManager.default.temporaryDirectory.path + "/outrider-setup-\(UInt64.random(in: .min ... .max))"
    for folder in [
      "/etc/modules-load.d", "/etc/systemd/system/multi-user.target.wants", "/usr/lib/systemd/system",
      "/var/lib",
      "/boot",
    ] { try makeFolder(folder) }
    if let bootFolder {
      try makeFolder(bootFolder)
      try write("\(bootFolder)/config.txt", configuration)
      if let commandLine { try write("\(bootFolder)/cmdline.txt", commandLine) }
    }
    for unit in ["hciuart", "serial-getty@"] {
      try write("/usr/lib/systemd/system/\(unit).service", "[Unit]\n")
    }
    try link(
      "/etc/systemd/system/multi-user.target.wants/hciuart.service",
      to: "/usr/lib/systemd/system/hciuart.service")
    try write("/etc/passwd", "root:x:0:0::/root:/bin/sh\noutrider:x:990:990::/:/usr/sbin/nologin\n")
    try write("/etc/group", "dialout:x:20:outrider\ni2c:x:994:pi\noutrider:x:990:\n")
  }

  deinit { try? FileManager.default.removeItem(atPath: root) }

  func makeFolder(_ path: String) throws {
    try FileManager.default.createDirectory(atPath: root + path, withIntermediateDirectories: true)
  }

  func write(_ path: String, _ bytes: [UInt8]) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: root + path))
  }
  func write(_ path: String, _ text: String) throws { try write(path, Array(text.utf8)) }
  func append(_ path: String, _ text: String) throws {
    try write(path, (read(path) ?? []) + Array(text.utf8))
  }
  func read(_ path: String) -> [UInt8]? {
    FileManager.default.contents(atPath: root + path).map { Array($0) }
  }
  func text(_ path: String) -> String { String(decoding: read(path) ?? [], as: UTF8.self) }
  func remove(_ path: String) throws { try FileManager.default.removeItem(atPath: root + path) }
  /// True for a symbolic link, too.
  func exists(_ path: String) -> Bool {
    (try? FileManager.default.attributesOfItem(atPath: root + path)) != nil
  }

  func link(_ path: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(atPath: root + path, withDestinationPath: target)
  }

  /// The contents of all files and the targets of all links, by path.
  var contents: [String: String] {
    var contents: [String: String] = [:]
    for case let path as String in FileManager.default.enumerator(atPath: root) ?? .init() {
      let full = "\(root)/\(path)"
      if let target = try? FileManager.default.destinationOfSymbolicLink(atPath: full) {
        contents[path] = "-> \(target)"
      } else if let data = FileManager.default.contents(atPath: full) {
        contents[path] = data.map { String($0, radix: 16) }.joined(separator: " ")
      }
    }
    return contents
  }

  var writer: SetupWriter { SetupWriter(system) { [unowned self] in run($0) } }

  /// What systemctl(1) and usermod(8) do to the files.
  private func run(_ command: SystemCommand) -> String? {
    commands.withLock { $0.append(command.text) }
    if command.text == failing { return "exited with status 1" }
    let wants = "/etc/systemd/system/multi-user.target.wants"
    switch command {
    case .disable(let name): try? remove("\(wants)/\(name).service")
    case .enable(let name):
      try? link("\(wants)/\(name).service", to: "/usr/lib/systemd/system/\(name).service")
    case .mask(let name): try? link("/etc/systemd/system/\(name).service", to: "/dev/null")
    case .unmask(let name): try? remove("/etc/systemd/system/\(name).service")
    case .addToGroups(let groups):
      let lines = text("/etc/group").split(separator: "\n").map { line in
        groups.contains(String(line.prefix { $0 != ":" })) ? "\(line),outrider" : String(line)
      }
      try? write("/etc/group", lines.joined(separator: "\n") + "\n")
    case .restart, .restartLogger: break
    }
    return nil
  }

  // MARK: Set-up

  func plan(_ board: TestBoard) throws -> SetupPlan {
    let memory = try system.memory()
    let machine = try system.state(
      services: board.system.servicesOff + (memory.record?.services ?? []), groups: board.groups)
    return try SetupPlan(
      board: board.name, board.system, on: machine, after: memory, digest: SetupSystem.digest)
  }

  @discardableResult func apply(_ board: TestBoard) throws -> SetupPlan {
    let plan = try plan(board)
    try writer.perform(plan.steps)
    return plan
  }

  func undoPlan() throws -> UndoPlan {
    let memory = try system.memory()
    let machine = try system.state(services: memory.record?.services ?? [], groups: [])
    return try UndoPlan(on: machine, after: memory, digest: SetupSystem.digest)
  }

  @discardableResult func undo() throws -> UndoPlan {
    let plan = try undoPlan()
    try writer.perform(plan.steps)
    return plan
  }
}

/// A board for tests.
struct TestBoard: Sendable, CustomTestStringConvertible {
  var name: String
  var system: SystemSettings
  var groups: [String] = []
  var testDescription: String { name }

  /// A board with everything that a board can require.
  static let full: TestBoard = {
    var system = SystemSettings()
    system.console = .off
    system.parameters = ["enable_uart=1", "dtparam=i2c_arm=on"]
    system.overlays = ["disable-bt", "i2c-rtc,ds3231"]
    system.modules = ["i2c-dev"]
    system.servicesOff = ["hciuart", "serial-getty@ttyAMA0", "missing"]
    system.watchdog = .seconds(14)
    return TestBoard(name: "full", system: system, groups: ["dialout", "i2c", "gpio"])
  }()

  static let small: TestBoard = {
    var system = SystemSettings()
    system.parameters = ["dtparam=uart0=on"]
    return TestBoard(name: "small", system: system)
  }()

  static let none = TestBoard(name: "none", system: SystemSettings())
}

/// Performs steps until the power is cut.
final class CutWriter: SetupPerforming {
  private let writer: SetupWriter
  private let rest: Mutex<Int>

  /// The power cut.
  static let cut = SetupFailure.changedMeanwhile("power cut")

  init(_ writer: SetupWriter, after steps: Int) {
    self.writer = writer
    rest = Mutex(steps)
  }

  func perform(_ step: SetupStep) throws(SetupFailure) {
    let isCut = rest.withLock { rest in
      rest -= 1
      return rest < 0
    }
    if isCut { throw Self.cut }
    try writer.perform(step)
  }
}
