import Settings

/// The changes that set up a board on a system.
public struct SetupPlan: Equatable, Sendable {
  public let changes: [FileChange]
  public let commands: [SystemCommand]
  /// Findings that the operator should read before confirming.
  public let remarks: [String]
  /// All steps in their order, beginning with the state file; empty if the board is set up already.
  public let steps: [SetupStep]

  /// Plans the set-up. A file that was written before and not edited since is derived from its copy anew.
  ///
  /// Throws if the board requires config.txt and there is none, if it is damaged, or if a line is too long.
  public init(
    board: String, _ system: SystemSettings, on machine: MachineState, after memory: SetupMemory,
    digest: Digesting
  ) throws(SetupError) {
    if machine.bootFolder == nil, system.requiresBootPartition { throw .noBootPartition }
    var files = FilePlan(target: BoardFiles(board: board, system, on: machine), digest: digest)
    for file in SetupFile.allCases where machine.bootFolder != nil || !file.isOfBootPartition {
      try files.add(file, memory.record?.entry(of: file))
    }
    let former = memory.record?.services ?? []
    let off = system.servicesOff.compactMap { SystemCommand.off($0, in: machine.services[$0]) }
    let on = former.filter { !system.servicesOff.contains($0) }
      .compactMap { SystemCommand.on($0, in: machine.services[$0]) }
    let groups = machine.missingGroups.isEmpty ? [] : [SystemCommand.addToGroups(machine.missingGroups)]
    let services = system.servicesOff.filter { name in
      former.contains(name) || SystemCommand.off(name, in: machine.services[name]) != nil
    }
    changes = files.changes
    commands = off + on + groups
    remarks = files.target.remarks
    let intention = SetupRecord(
      board: board, isComplete: false, files: files.intended,
      services: services + former.filter { !services.contains($0) })
    let isEmpty = files.final.isEmpty && services.isEmpty
    let result =
      isEmpty ? nil : SetupRecord(board: board, isComplete: true, files: files.final, services: services)
    let isDone =
      result == memory.record && memory != .damaged && changes.isEmpty && commands.isEmpty
      && files.copies.isEmpty
    steps =
      isDone
      ? []
      : [.record(intention)] + files.copies + changes.map { .change($0) } + commands.map { .run($0) }
        + files.obsoleteCopies + [.record(result)]
  }
}

extension SystemSettings {
  /// True if the board requires lines of config.txt, or another cmdline.txt.
  public var requiresBootPartition: Bool { !bootLines.isEmpty || console == .off }
}

/// The changes of the files, with the entries of the state file during and after the change.
private struct FilePlan {
  var target: BoardFiles
  let digest: Digesting
  private(set) var changes: [FileChange] = []
  private(set) var copies: [SetupStep] = []
  private(set) var obsoleteCopies: [SetupStep] = []
  private(set) var intended: [SetupFile: SetupRecord.Entry] = [:]
  private(set) var final: [SetupFile: SetupRecord.Entry] = [:]

  init(target: BoardFiles, digest: Digesting) { (self.target, self.digest) = (target, digest) }

  mutating func add(_ file: SetupFile, _ entry: SetupRecord.Entry?) throws(SetupError) {
    let machine = target.machine
    var origin = try FileOrigin(of: file, on: machine, entry: entry, digest: digest)
    if entry == nil, let copy = machine.copies[file], copy != origin.current,
      try target.content(of: file, from: copy) == origin.current
    {
      origin.recover(from: copy)
    }
    let new = try target.content(of: file, from: origin.base)
    let path = machine.path(of: file)
    if new != origin.current {
      changes.append(FileChange(file, path: path, old: origin.current, new: new))
    }
    switch origin.original {
    case .kept(let entry):
      intended[file] = entry
      final[file] = entry
    case .known(let original) where new == original:
      // The file is as before the first set-up. Its entry is required until it is written.
      if new != origin.current || entry != nil {
        intended[file] = origin.entry(before: digest(original), writing: digest(new))
      }
      if entry != nil, machine.copies[file] != nil {
        obsoleteCopies.append(.copy(file, path: path + SetupFile.copySuffix, bytes: nil))
      }
    case .known(let original):
      let before = digest(original)
      intended[file] = origin.entry(before: before, writing: digest(new))
      final[file] = SetupRecord.Entry(before: before, written: [digest(new)])
      if let original, machine.copies[file] != original {
        copies.append(.copy(file, path: path + SetupFile.copySuffix, bytes: original))
      }
    }
  }
}
