/// The bytes of a file before the first set-up, and those from which a set-up starts.
struct FileOrigin {
  /// The bytes before the first set-up.
  enum Original {
    /// The bytes; nil if there was no file.
    case known([UInt8]?)
    /// Only the digest is known, because the file was edited or its copy is lost. The entry stays as it is.
    case kept(SetupRecord.Entry)
  }

  let current: [UInt8]?
  private(set) var original: Original
  /// The entry of the state file; nil if the file was not written before.
  let entry: SetupRecord.Entry?
  /// True if the present bytes are those that Outrider wrote.
  private let isUnedited: Bool
  private let currentDigest: String

  /// Throws if config.txt is damaged.
  init(
    of file: SetupFile, on machine: MachineState, entry: SetupRecord.Entry?, digest: Digesting
  ) throws(SetupError) {
    let current = machine.files[file]
    let copy = machine.copies[file]
    self.current = current
    self.entry = entry
    currentDigest = digest(current)
    isUnedited = entry?.written.contains(currentDigest) ?? false
    guard let entry, entry.before != currentDigest else {
      original = .known(entry == nil ? try Self.withoutOutrider(current, file, on: machine) : current)
      return
    }
    if isUnedited, entry.before == SetupRecord.absent {
      original = .known(nil)
    } else if isUnedited, let copy, digest(copy) == entry.before {
      original = .known(copy)
    } else if file == .commandLine, let current, KernelCommandLine(current).serialConsoles.isEmpty {
      original = .kept(entry)
    } else {
      original = .known(try Self.withoutOutrider(current, file, on: machine))
    }
  }

  /// Takes a copy as the bytes before the first set-up, because the state file is lost.
  mutating func recover(from copy: [UInt8]) { original = .known(copy) }

  /// The bytes from which the set-up starts: those before the first one, or the present ones if somebody edited them.
  var base: [UInt8]? {
    if isUnedited, case .known(let bytes) = original { bytes } else { current }
  }

  /// The entry during the change: the present bytes, if Outrider wrote them, and the new ones are known.
  func entry(before: String, writing new: String) -> SetupRecord.Entry {
    var written = isUnedited ? [currentDigest] : []
    if !written.contains(new) { written.append(new) }
    return SetupRecord.Entry(before: before, written: written)
  }

  /// The bytes without what Outrider wrote, as far as it can be recognized.
  static func withoutOutrider(
    _ bytes: [UInt8]?, _ file: SetupFile, on machine: MachineState
  ) throws(SetupError) -> [UInt8]? {
    guard let bytes else { return nil }
    switch file {
    case .configuration: return try BootConfiguration(bytes, at: machine.path(of: file)).removingBlock()
    case .commandLine: return bytes
    case .modules, .watchdog: return GeneratedFile.isOwn(bytes) ? nil : bytes
    }
  }
}
