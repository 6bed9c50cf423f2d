import Collector
import Daemon
import Devices
import FoundationEssentials
import Glibc
import Quantities
import Records
import Settings
import Simulation
import SystemLoop

/// `outrider demo`: the same logger on a simulated receiver, with a collector, in one process.
enum DemoCommand: Command {
  static let name = "demo"
  static let summary = "log a simulated drive into a collector on this machine"
  static let help = """
    Usage: outrider demo [--for DURATION] [--data DIR] [--set KEY=VALUE]…

    Needs no hardware, no root and no network: a virtual receiver drives through a city on a pseudo-terminal, the
    logger reads it with the board "simulator", a collector on loopback takes what it sends. Ends with Ctrl-C.

      --for DURATION    end by itself after that time, such as 30s
      --data DIR        keep log and collection there; otherwise they are removed at the end
      --set KEY=VALUE   override any setting; may stand several times
    """

  static func run(_ words: ArraySlice<String>) throws -> Int32 {
    let arguments = try Arguments(words, options: ["--for", "--data", "--set"], flags: [])
    try arguments.checkOperands(atMost: 0)
    var length: Duration?
    if let text = arguments.value("--for") {
      guard let duration = Duration(settingText: text) else {
        throw Arguments.Misuse(message: "--for wants a duration such as 30s, not \"\(text)\"")
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
    demo.start()
    try loop.run()
    try demo.sendRest()
    return demo.finish()
  }
}

/// Where the demo writes: a folder of its own, or one that is kept.
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
    let place = ProcessSurroundings.variable("TMPDIR").flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
    var template = "\(place)/outrider-demo-XXXXXX".utf8CString.map { $0 }
    guard mkdtemp(&template) != nil else {
      throw SystemError(call: "mkdtemp", subject: place, number: errno)
    }
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    isTemporary = true
  }

  func remove() {
    guard isTemporary else { return }
    try? FileManager.default.removeItem(atPath: path)
  }
}
