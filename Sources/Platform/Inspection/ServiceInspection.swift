import Doctor
import System

extension ServiceFacts {
  /// The units that touch the logger's devices and clock. Unit names for ports are added.
  private static let neighbours =
    ["gpsd.service", "gpsd.socket", "ModemManager.service", "brltty.service", "hciuart.service"]
    + [
      "systemd-timesyncd.service", "chrony.service", "chronyd.service", "ntp.service", "ntpsec.service",
      "openntpd.service",
    ]

  /// Queries systemd for the logger's unit, for its manager and for neighbours. `ports` are names such as `ttyAMA0`.
  public init(_ run: ProgramOutput.Runner, ports: [String]) {
    self.init()
    switch run("systemctl", ["show", "outrider.service"]) {
    case .failed(let reason):
      fault = reason
      return
    case .text(let text):
      let properties = UnitProperties(text)
      guard properties.has("LoadState") else {
        fault = "systemd does not run on this host"
        return
      }
      unit = properties
    }
    if case .text(let text) = run("systemctl", ["show", "--property=RuntimeWatchdogUSec"]) {
      manager = UnitProperties(text)
    }
    let gettys = ports.flatMap { ["serial-getty@\($0).service", "getty@\($0).service"] }
    if case .text(let text) = run(
      "systemctl",
      ["show", "--property=Id,LoadState,ActiveState,UnitFileState"] + Self.neighbours + gettys)
    {
      others = UnitProperties.all(text)
    }
  }
}

extension ServiceFacts {
  /// Reads the state of an upgrade, as /usr/lib/outrider/trial keeps it.
  public mutating func readUpgrade(_ tree: FileTree) {
    let folder = "/var/lib/outrider-update"
    returned = tree.line("\(folder)/returned").flatMap { $0.isEmpty ? nil : String($0.prefix(300)) }
    kept = tree.line("\(folder)/kept").flatMap { $0.isEmpty ? nil : String($0.prefix(500)) }
    // An outcome that the log has not recorded yet.
    guard returned == nil, tree.line("\(folder)/proven") == nil else { return }
    let words = (tree.text("\(folder)/trial") ?? "").split(separator: "\n").map(String.init)
    let old = words.first { $0.hasPrefix("old=") }?.dropFirst(4)
    let new = words.first { $0.hasPrefix("new=") }?.dropFirst(4)
    if let old, let new { trial = UpgradeFacts(old: String(old.prefix(60)), new: String(new.prefix(60))) }
  }
}

/// A walk through /proc: the logger's process and the processes that hold a device.
public struct ProcessWalk: Sendable {
  public private(set) var logger: ProcessFacts?
  public private(set) var holders: [PortFacts.Holder] = []
  /// True if the descriptors of some processes are invisible to this user.
  public private(set) var hidesProcesses = false

  /// Walks through all processes except `own`. `device` is the path behind all links; `mainProcess` is the process that
  /// systemd names as the logger.
  public init(
    _ tree: FileTree, device: String?, mainProcess: Int32?, own: Int32 = ProcessEnvironment.processID
  ) {
    for name in tree.names("/proc") {
      guard let id = Int32(name), id > 0, id != own else { continue }
      let command = tree.line("/proc/\(id)/comm") ?? ""
      if id == mainProcess || logger == nil && command == "outrider" && Self.isLogger(tree, id) {
        logger = ProcessFacts(tree, id: id)
      }
      guard let device else { continue }
      switch tree.list("/proc/\(id)/fd") {
      case .known(let descriptors):
        if descriptors.contains(where: { tree.link("/proc/\(id)/fd/\($0)") == device }) {
          holders.append(PortFacts.Holder(process: id, name: command.isEmpty ? "process" : command))
        }
      // A process may have ended meanwhile.
      case .absent: break
      case .hidden: hidesProcesses = true
      }
    }
  }

  private static func isLogger(_ tree: FileTree, _ id: Int32) -> Bool {
    let words = (tree.text("/proc/\(id)/cmdline") ?? "").split(separator: "\0")
    return words.dropFirst().first == "run"
  }
}

extension ProcessFacts {
  /// Reads a process from /proc (proc(5)).
  init(_ tree: FileTree, id: Int32) {
    self.init(id: id)
    if let path = tree.link("/proc/\(id)/exe") {
      let suffix = " (deleted)"
      isProgramDeleted = path.hasSuffix(suffix)
      program = isProgramDeleted ? String(path.dropLast(suffix.count)) : path
      programModified = isProgramDeleted ? nil : program.flatMap { tree.node($0)?.modified }
    }
    // The name in parentheses may contain spaces; the start is the 22nd field (proc_pid_stat(5)).
    if let status = tree.text("/proc/\(id)/stat"), let end = status.lastIndex(of: ")") {
      let fields = status[end...].split { $0.isWhitespace }
      if fields.count > 20, let ticks = Int64(fields[20]), let boot = Self.bootTime(tree) {
        started = boot &+ ticks / 100
      }
    }
    for line in (tree.text("/proc/\(id)/status") ?? "").split(separator: "\n") {
      let words = line.split { $0.isWhitespace }
      switch words.first {
      case "Uid:": user = words.count > 2 ? UInt32(words[2]) : nil
      case "Gid:": groups.formUnion(words.dropFirst(2).prefix(1).compactMap { UInt32($0) })
      case "Groups:": groups.formUnion(words.dropFirst().compactMap { UInt32($0) })
      default: break
      }
    }
    for line in (tree.text("/proc/\(id)/io") ?? "").split(separator: "\n")
    where line.hasPrefix("write_bytes: ") {
      writtenBytes = Int64(line.dropFirst(13))
    }
    profile = tree.line("/proc/\(id)/attr/current").flatMap { $0.isEmpty || $0 == "unconfined" ? nil : $0 }
  }

  private static func bootTime(_ tree: FileTree) -> Int64? {
    let line = (tree.text("/proc/stat") ?? "").split(separator: "\n").first { $0.hasPrefix("btime ") }
    return line.flatMap { Int64($0.dropFirst(6)) }
  }
}
