import GNSSProtocol
import Quantities

/// The enable line, which switches the supply of the receiver, and the navigation state that a receiver with
/// flash memory saves before its supply is cut.
///
/// Saving and clearing wear the flash: the state is saved at most once in ``leastSaveInterval``, and only
/// after a fix. The limit starts again with the program.
struct ReceiverSupply: Sendable {
  static let leastSaveInterval = Duration.seconds(6 * 3600)
  /// Minimum time between two clear commands, for a receiver that keeps reporting a saved state.
  static let clearInterval = Duration.seconds(60)

  let hasEnableLine: Bool
  private let isControlled: Bool
  /// State of the enable line; nil before it was set.
  private var isOn: Bool?
  private var nextSave: Moment?
  private var nextClear: Moment?
  /// True if a navigation state is stored; it goes out of date.
  private var isStateKept = false
  /// True if the GNSS part was stopped for saving and has not been restarted.
  private var isStopped = false

  init(settings: DialogueSettings) {
    hasEnableLine = settings.hasEnableLine
    isControlled = settings.control == .full && settings.hasEnableLine
  }

  /// True if the enable line has cut the supply.
  var isCut: Bool { isOn == false }

  // MARK: The enable line

  /// Switches the supply on. Without it a USB port does not exist, and other receivers do not answer.
  mutating func switchOn(_ actions: inout [DialogueAction]) {
    guard isControlled, isOn != true else { return }
    isOn = true
    actions.append(.enableLine(true))
  }

  mutating func switchOff(_ actions: inout [DialogueAction]) {
    guard isControlled, isOn != false else { return }
    isOn = false
    actions.append(.enableLine(false))
  }

  /// The waking phase switches the line itself and leaves it on.
  mutating func leftOnByWaking() {
    if hasEnableLine { isOn = true }
  }

  // MARK: The navigation state

  /// The commands to send before a sleep by these means. Without a fix there is nothing new to save.
  mutating func commandsToSave(
    before means: FallingAsleep.Means, of link: ReceiverLink, now: Moment
  ) -> [ReceiverCommand] {
    switch means {
    case .sequence: return []
    case .enableLine: break
    }
    guard link.identification.isConfirmed, !isCut, link.aiding.hasFix, nextSave.map({ now >= $0 }) ?? true,
      let commands = link.dialect?.saveState(), !commands.isEmpty
    else { return [] }
    nextSave = now + Self.leastSaveInterval
    isStopped = true
    return commands
  }

  /// Records how far a phase that saves the state and cuts the supply has come.
  mutating func record(_ falling: FallingAsleep) {
    if falling.hasSaved { isStateKept = true }
    if falling.hasCutSupply { isOn = false }
  }

  /// Records that the receiver has, or may have, a saved state.
  mutating func recordSavedState() { isStateKept = true }

  /// Cuts the supply after a port failure interrupted the saving, because the receiver has stopped anyway.
  mutating func cutAfterInterruption(of falling: FallingAsleep, _ actions: inout [DialogueAction]) {
    if falling.isBeforeCut { switchOff(&actions) }
  }

  /// The commands that restart the GNSS part, if the saving stopped it.
  func commandsToResume(_ dialect: (any Dialect)?) -> [ReceiverCommand] {
    isStopped ? dialect?.resume() ?? [] : []
  }

  /// Restarts the GNSS part, because the supply was not cut after all.
  mutating func resume(_ dialect: (any Dialect)?, _ actions: inout [DialogueAction]) {
    for command in commandsToResume(dialect) { actions.append(.write(command.bytes)) }
    isStopped = false
  }

  /// The receiver is awake; a wake-up sends the commands to resume.
  mutating func recordResumed() { isStopped = false }

  /// Clears the saved state, which is out of date as soon as the receiver runs.
  mutating func clearSavedState(of link: ReceiverLink, now: Moment, _ actions: inout [DialogueAction]) {
    guard isStateKept, nextClear.map({ now >= $0 }) ?? true,
      let command = link.controlDialect?.clearSavedState()
    else { return }
    isStateKept = false
    nextClear = now + Self.clearInterval
    actions.append(.write(command.bytes))
  }
}
