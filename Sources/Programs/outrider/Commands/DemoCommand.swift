import Collector
import Daemon
import Devices
import EventLoop
import FoundationEssentials
import Glibc
import Quantities
import Records
import Settings
import System

/// `outrider demo`: runs the logger with a simulated receiver and a collector in one process.
enum DemoCommand: Command {
  static let name = "demo"
  static let group = CommandGroup.run
  static let summary = "log a simulated drive, without hardware"
  static let description = CommandDescription(
    text: [
      """
      Runs the logger with a simulated receiver and a collector, without hardware, root or network, \
      until Ctrl-C. The first line is the address of its page.
      """,
      """
      In five minutes it shows acquisition, a trip, a tunnel, a server that fails, a stop with sleep, and \
      a departure; then it repeats. Position checks and first fixes come sooner than in real use. The log \
      begins with a simulated outing of yesterday.
      """,
    ],
    options: [
      .value("--for", "DURATION", text: "stop after this time, such as 30s"),
      .value(
        "--data", "DIR", .directory,
        text: """
          keep the log and the collected records in this directory; by default they are removed
          """),
      .value("--set", "KEY=VALUE", .setting, isRepeatable: true, text: "override a setting; repeatable"),
    ])

  static func run(_ words: ArraySlice<String>) throws -> Int32 {
    let arguments = try Arguments(words, description)
    try arguments.checkOperands(atMost: 0)
    var length: Duration?
    if let text = arguments.value("--for") {
      guard let duration = Duration(settingText: text) else {
        throw Arguments.Misuse(message: "--for: expected a duration such as 30s, got \"\(text)\"")
      }
      length = duration
    }
    let signals = try SignalDescriptor([SIGTERM, SIGINT])
    let folder = try DemoFolder(named: arguments.value("--data"))
    defer { folder.remove() }
    let loop = try EventLoop()
    let demo = try Demo(loop: loop, folder: folder.path, overrides: arguments.values("--set"))
    _ = try loop.watch(signals.raw, for: .readable) { _ in
      while signals.next() != nil { loop.stop() }
    }
    let end = loop.addTimer("end of the demo") { _ in loop.stop() }
    end.arm(at: length.map { loop.now + $0 })
    try demo.start()
    try loop.run()
    try demo.sendRemaining()
    return demo.finish()
  }
}

/// The directory of the demo: a temporary one, or one that the operator named.
private struct DemoFolder {
  let path: String
  private let isTemporary: Bool

  init(named name: String?) throws(SystemError) {
    if let name {
      path = name
      isTemporary = false
      try FileBytes.makeDirectory(name)
      return
    }
    let directory = ProcessEnvironment.variable("TMPDIR").flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
    var template = "\(directory)/outrider-demo-XXXXXX".utf8CString.map { $0 }
    guard mkdtemp(&template) != nil else {
      throw SystemError(call: "mkdtemp", subject: directory, number: errno)
    }
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    isTemporary = true
  }

  func remove() {
    guard isTemporary else { return }
    try? FileManager.default.removeItem(atPath: path)
  }
}
