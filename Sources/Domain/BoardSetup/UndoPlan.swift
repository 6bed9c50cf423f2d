/// The changes that restore a system as it was before a board was set up.
public struct UndoPlan: Equatable, Sendable {
  public let changes: [FileChange]
  public let commands: [SystemCommand]
  /// Findings that the operator should read before confirming.
  public let remarks: [String]
  /// The files that were edited since and are not changed, with the reason and the remedy.
  public let conflicts: [Conflict]
  /// True if files have copies that no state file explains, so that more may have been changed.
  public let isPartial: Bool
  /// All steps; empty if there is nothing to undo.
  public let steps: [SetupStep]

  /// A file that stays as it is.
  public struct Conflict: Equatable, Sendable {
    public var message: String
    /// The difference from the present file to its copy; nil without a copy.
    public var difference: FileChange?
  }

  /// Plans the undo. Without a state file only the block in config.txt and Outrider's own files can be recognized.
  ///
  /// Throws if config.txt is damaged.
  public init(on machine: MachineState, after memory: SetupMemory, digest: Digesting) throws(SetupError) {
    var work = Work(machine: machine, digest: digest)
    if let record = memory.record {
      for file in SetupFile.allCases {
        if let entry = record.entry(of: file) { try work.restore(file, entry) }
      }
      commands = record.services.compactMap { SystemCommand.on($0, in: machine.services[$0]) }
    } else {
      for file in SetupFile.allCases { try work.clean(file) }
      commands = []
      if memory == .damaged || !machine.copies.isEmpty {
        work.remarks.append(
          "the state file is \(memory == .damaged ? "damaged" : "missing"); only the parts that name Outrider are removed"
        )
        for (file, _) in machine.copies.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
          let path = machine.path(of: file)
          work.remarks.append("\(path): compare it with the copy \(path)\(SetupFile.copySuffix)")
        }
      }
    }
    (changes, remarks, conflicts) = (work.changes, work.remarks, work.conflicts)
    isPartial = memory == .damaged || memory == .none && !machine.copies.isEmpty
    let remainder = memory.record.flatMap { record in
      work.kept.isEmpty
        ? nil
        : SetupRecord(board: record.board, isComplete: record.isComplete, files: work.kept, services: [])
    }
    if memory == .none, changes.isEmpty {
      steps = []
    } else {
      steps =
        work.changes.map { .change($0) } + commands.map { .run($0) } + work.copies + [.record(remainder)]
    }
  }

  private struct Work {
    let machine: MachineState
    let digest: Digesting
    var changes: [FileChange] = []
    var remarks: [String] = []
    var conflicts: [Conflict] = []
    var copies: [SetupStep] = []
    /// Entries of files in conflict.
    var kept: [SetupFile: SetupRecord.Entry] = [:]

    mutating func restore(_ file: SetupFile, _ entry: SetupRecord.Entry) throws(SetupError) {
      let path = machine.path(of: file)
      let copyPath = path + SetupFile.copySuffix
      let current = machine.files[file]
      let copy = machine.copies[file].flatMap { digest($0) == entry.before ? $0 : nil }
      if digest(current) == entry.before {
        removeCopy(of: file, at: copyPath)
      } else if entry.written.contains(digest(current)), entry.before == SetupRecord.absent || copy != nil {
        changes.append(FileChange(file, path: path, old: current, new: copy))
        removeCopy(of: file, at: copyPath)
      } else if file == .configuration, let current {
        let remainder = try BootConfiguration(current, at: path).removingBlock()
        guard remainder != current else {
          remarks.append("\(path): was edited since and contains no block any more; unchanged")
          return
        }
        changes.append(FileChange(file, path: path, old: current, new: remainder))
        if digest(remainder) == entry.before {
          removeCopy(of: file, at: copyPath)
        } else {
          remarks.append("\(path): was edited since; only the block is removed")
        }
      } else {
        kept[file] = entry
        let difference = copy.map { FileChange(file, path: path, old: current, new: $0) }
        guard machine.bootFolder != nil || !file.isOfBootPartition else {
          conflicts.append(
            Conflict(
              message: "\(path): unchanged, because the boot partition is not mounted; mount it",
              difference: nil))
          return
        }
        conflicts.append(conflict(path, copyPath, difference, hadNoFile: entry.before == SetupRecord.absent))
      }
    }

    private func conflict(
      _ path: String, _ copyPath: String, _ difference: FileChange?, hadNoFile: Bool
    ) -> Conflict {
      let message =
        if difference != nil {
          "\(path): was edited since, so it is unchanged; to restore it, run sudo cp \(copyPath) \(path)"
        } else if hadNoFile {
          "\(path): was edited since, so it is unchanged; to remove it, run sudo rm \(path)"
        } else {
          "\(path): unchanged, because its copy \(copyPath) is missing or changed; edit the file by hand"
        }
      return Conflict(message: message, difference: difference)
    }

    /// Removes what can be recognized as Outrider's without a state file.
    mutating func clean(_ file: SetupFile) throws(SetupError) {
      guard let current = machine.files[file] else { return }
      let remainder = try FileOrigin.withoutOutrider(current, file, on: machine)
      guard remainder != current else { return }
      changes.append(FileChange(file, path: machine.path(of: file), old: current, new: remainder))
    }

    private mutating func removeCopy(of file: SetupFile, at path: String) {
      if machine.copies[file] != nil { copies.append(.copy(file, path: path, bytes: nil)) }
    }
  }
}
