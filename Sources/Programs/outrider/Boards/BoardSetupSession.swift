import BoardSetup
import Glibc
import Settings
import SetupFiles

/// `outrider boards NAME --apply` and `outrider boards --undo`: shows the changes, asks, and makes them.
struct BoardSetupSession {
  /// The options of the command line.
  struct Options {
    var isDryRun: Bool
    var isConfirmed: Bool
    var mayRestart: Bool
    /// Enables the charger of the clock's cell.
    var chargesCell = false
    /// The directory that stands for `/`; nil for the running system.
    var root: String?
  }

  /// The result of a set-up.
  struct Outcome {
    var status: Int32
    /// True if files changed that the system reads at its start.
    var requiresRestart = false
  }

  private let options: Options
  private let system: SetupSystem
  private let command: String

  /// `command` is the command line for messages, without sudo.
  init(_ options: Options, command: String) {
    self.options = options
    self.command = command
    system = SetupSystem(root: options.root ?? "")
  }

  /// Sets up a board.
  func apply(_ board: Configuration, named name: String) throws -> Outcome {
    let memory = try system.memory()
    guard let required = options.chargesCell ? board.boardSystem.chargingCell : board.boardSystem else {
      Console.complain("boards: \(name): this board has no charger for a cell; omit --charge-cell")
      return Outcome(status: 1)
    }
    let machine = try system.state(
      services: required.servicesOff + (memory.record?.services ?? []), groups: board.requiredGroups)
    let plan: SetupPlan
    do throws(SetupError) {
      plan = try SetupPlan(board: name, required, on: machine, after: memory, digest: SetupSystem.digest)
    } catch {
      if error == .noBootPartition { printInstructions(board) }
      Console.complain("boards: \(error)")
      return Outcome(status: 1)
    }
    if memory == .damaged {
      Console.print("\(system.root)\(SetupSystem.recordPath): is damaged; it is written anew")
    }
    show(plan.changes, plan.commands, plan.remarks)
    if let volts = required.cellVolts, options.chargesCell {
      Console.print(
        "note: the clock's cell is charged to \(BoardDescription.number(volts)) V; one that is not rechargeable can burn"
      )
    }
    guard !plan.steps.isEmpty else {
      Console.print("\(name): this board is set up already")
      printByHand(board)
      return Outcome(status: 0)
    }
    guard !plan.changes.isEmpty || !plan.commands.isEmpty else {
      return Outcome(
        status: try finish(
          plan.steps, "\(name): set up; only the state file changed", asks: false, restart: false
        ) {})
    }
    let status = try finish(plan.steps, "\(name): set up", restart: true) {
      printByHand(board)
      if let folder = machine.bootFolder, plan.changes.contains(where: \.file.isOfBootPartition) {
        Console.print(
          """
          If the board does not start: open the card on a PC, and copy config.txt\(SetupFile.copySuffix) over
          config.txt, and likewise cmdline.txt, if there is a copy. On this system it is \(system.root)\(folder).
          """)
      }
      Console.print("To undo: sudo outrider boards --undo")
    }
    return Outcome(status: status, requiresRestart: status == 0 && !options.isDryRun)
  }

  /// Restores the system. Returns the exit status: 1 if a file is in conflict.
  func undo() throws -> Int32 {
    let memory = try system.memory()
    let machine = try system.state(services: memory.record?.services ?? [], groups: [])
    let plan: UndoPlan
    do throws(SetupError) {
      plan = try UndoPlan(on: machine, after: memory, digest: SetupSystem.digest)
    } catch {
      Console.complain("boards: \(error)")
      return 1
    }
    show(plan.changes, plan.commands, plan.remarks)
    for conflict in plan.conflicts {
      Console.complain("boards: \(conflict.message)")
      if let difference = conflict.difference {
        Console.print("\(difference.path): difference to its copy, not applied:")
        difference.diff.forEach { Console.print("  \($0)") }
      }
    }
    let hasFailed = !plan.conflicts.isEmpty || plan.isPartial
    if plan.steps.isEmpty || plan.changes.isEmpty && plan.commands.isEmpty && !plan.conflicts.isEmpty {
      if plan.conflicts.isEmpty, !plan.isPartial { Console.print("nothing to undo: no board is set up") }
      return hasFailed ? 1 : 0
    }
    let asks = !plan.changes.isEmpty || !plan.commands.isEmpty
    let status = try finish(
      plan.steps, hasFailed ? "undone in part" : "the set-up is undone", asks: asks, restart: asks
    ) {}
    return hasFailed ? 1 : status
  }

  // MARK: Output

  private func show(_ changes: [FileChange], _ commands: [SystemCommand], _ remarks: [String]) {
    for change in changes {
      change.diff.forEach(Console.print)
      Console.print("")
    }
    for command in commands { Console.print("run: \(command.text)") }
    remarks.forEach { Console.print("note: \($0)") }
  }

  /// The set-up as instructions, for a system that is no Raspberry Pi.
  private func printInstructions(_ board: Configuration) {
    BoardDescription(name: "", board).system?.text.forEach(Console.print)
    printByHand(board)
  }

  private func printByHand(_ board: Configuration) {
    guard !board.boardNotes.isEmpty else { return }
    Console.print("By hand:")
    board.boardNotes.forEach { Console.print("  - \($0)") }
  }

  // MARK: Change

  /// Asks, performs the steps, and prints what was done. Returns the exit status.
  private func finish(
    _ steps: [SetupStep], _ result: String, asks: Bool = true, restart: Bool, _ explain: () -> Void
  ) throws -> Int32 {
    if options.isDryRun {
      Console.print("dry run: nothing was changed")
      return 0
    }
    guard options.root != nil || geteuid() == 0 else {
      Console.complain("boards: only root may make these changes; run sudo \(command)")
      return 1
    }
    guard options.isConfirmed || !asks || isatty(STDIN_FILENO) == 1 else {
      Console.complain("boards: cannot ask for confirmation without a terminal; add --yes, or see --dry-run")
      return 2
    }
    guard options.isConfirmed || !asks || isAnswered("make these changes?") else {
      Console.print("nothing was changed")
      return 1
    }
    let isOther = options.root != nil
    let writer = SetupWriter(system) { command in isOther ? nil : SetupWriter.run(command) }
    do throws(SetupFailure) {
      try writer.perform(steps) { step in
        switch step {
        case .change(let change):
          Console.print("\(change.new == nil ? "removed" : "written"): \(change.path)")
        case .copy(_, let path, .some): Console.print("copy: \(path)")
        case .run(let command): Console.print("\(isOther ? "run it on the device" : "done"): \(command.text)")
        case .copy, .record: break
        }
      }
    } catch {
      Console.complain("boards: \(error); run the command again, or undo with outrider boards --undo")
      return 1
    }
    Console.print(result)
    explain()
    if restart { try self.restart() }
    return 0
  }

  private func restart() throws {
    guard options.root == nil else { return }
    let mayAsk = options.mayRestart && !options.isConfirmed && isatty(STDIN_FILENO) == 1
    guard mayAsk, isAnswered("a restart is required; restart now?") else {
      return Console.print("A restart is required: sudo reboot")
    }
    if let failure = SetupWriter.run(.restart) {
      Console.complain("boards: \(SystemCommand.restart.text): \(failure)")
    }
  }

  private func isAnswered(_ question: String) -> Bool {
    Console.print("\(question) [y/N]")
    return ["y", "yes"].contains((readLine() ?? "").lowercased())
  }
}

extension Configuration {
  /// The groups whose members may use the board's port, chips and lines.
  var requiredGroups: [String] {
    var groups: [String] = []
    if receiver.port != nil { groups.append("dialout") }
    var hasBus = accelerometer != nil
    if case .chip? = gauge?.source { hasBus = true }
    if hasBus { groups.append("i2c") }
    if lines.ignition != nil || receiver.enable != nil || accelerometer?.interrupt != nil {
      groups.append("gpio")
    }
    return groups
  }
}
