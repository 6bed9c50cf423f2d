import Settings

/// The content that a board requires in the files of a system.
struct BoardFiles {
  let board: String
  let system: SystemSettings
  let machine: MachineState
  /// Findings that the operator should read.
  private(set) var remarks: [String] = []

  init(board: String, _ system: SystemSettings, on machine: MachineState) {
    (self.board, self.system, self.machine) = (board, system, machine)
  }

  /// The bytes of a file after the set-up, from those before it; nil for no file.
  ///
  /// Throws if config.txt is damaged, or if a line or the file becomes too long.
  mutating func content(of file: SetupFile, from bytes: [UInt8]?) throws(SetupError) -> [UInt8]? {
    switch file {
    case .configuration:
      guard let bytes else { return nil }
      return try configuration(bytes)
    case .commandLine:
      guard let bytes, system.console == .off else { return bytes }
      return commandLine(bytes)
    case .modules:
      return generated(system.modules, over: bytes)
    case .watchdog:
      let seconds = system.watchdog.map { "RuntimeWatchdogSec=\($0.components.seconds)" }
      return generated(seconds.map { ["[Manager]", $0] } ?? [], over: bytes)
    }
  }

  private mutating func configuration(_ bytes: [UInt8]) throws(SetupError) -> [UInt8] {
    let path = machine.path(of: .configuration)
    let old = try BootConfiguration(bytes, at: path)
    if let former = old.board, former != board {
      remarks.append("\(path): the block of the board \(former) is replaced")
    }
    let new: BootConfiguration
    do throws(BootConfigurationError) {
      new = try BootConfiguration(try old.applying(system.bootLines, board: board))
    } catch {
      throw .configuration(path, error)
    }
    guard new.bytes.count <= BootConfiguration.largest else {
      throw .tooLarge(path, limit: BootConfiguration.largest)
    }
    for line in system.bootLines where !new.isInEffect(line) {
      remarks.append("\(path): a line after the block sets another value than \(line); remove that line")
    }
    if new.bytes.count > BootConfiguration.doubtfulSize {
      remarks.append(
        "\(path): will have \(new.bytes.count) bytes; a Raspberry Pi 5 may not start with more than "
          + "\(BootConfiguration.doubtfulSize), so remove comments")
    }
    return new.bytes
  }

  private mutating func commandLine(_ bytes: [UInt8]) -> [UInt8] {
    let path = machine.path(of: .commandLine)
    let configuration = machine.files[.configuration].flatMap { try? BootConfiguration($0) }
    let selector = ["cmdline", "os_prefix"].first { key in
      configuration?.lastValue(of: key)?.isEmpty == false
    }
    if let selector {
      remarks.append(
        "\(path): unchanged, because \(selector)= in config.txt selects another file; "
          + "remove console=serial0 from that file by hand")
      return bytes
    }
    let line = KernelCommandLine(bytes)
    if !line.serialConsoles.isEmpty, !line.hasOtherConsole {
      remarks.append(
        "\(path): names no other console, so the kernel may still use the serial port; add console=tty1")
    }
    return line.removingSerialConsoles()
  }

  private func generated(_ lines: [String], over bytes: [UInt8]?) -> [UInt8]? {
    guard lines.isEmpty else { return GeneratedFile.bytes(lines, for: board) }
    return GeneratedFile.isOwn(bytes) ? nil : bytes
  }
}

/// A file below /etc that belongs to Outrider alone.
enum GeneratedFile {
  private static let mark = "# Written by outrider boards"

  static func bytes(_ lines: [String], for board: String) -> [UInt8] {
    (["\(mark) (\(board)); outrider boards --undo removes it."] + lines).flatMap { Array("\($0)\n".utf8) }
  }

  static func isOwn(_ bytes: [UInt8]?) -> Bool { bytes?.starts(with: mark.utf8) ?? false }
}
