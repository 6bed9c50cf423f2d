import Doctor
import EventLoop
import Inspection
import LocalAPI
import Quantities
import Settings
import System
import WebAccess

/// Examines the system as `outrider doctor` does, on a thread of its own, while the logger runs.
///
/// It reads files and the log only. What requires the network, another program or a device is left to the command.
final class SystemExaminer {
  private var task: BackgroundTask<String>?

  /// Abandons an examination.
  func stop() { task = nil }

  /// Starts an examination. Calls `done` with the JSON of the findings; returns the reason if it cannot start.
  ///
  /// `file` is the configuration file; nil without one.
  func begin(
    _ context: LoggerContext, file: SourceText?, report: LoggerReport, _ done: @escaping (String) -> Void
  ) -> Problem? {
    guard task == nil else { return Problem(503, "an examination is in progress; retry in a few seconds") }
    let configuration = context.configuration
    do throws(SystemError) {
      task = try BackgroundTask(
        "doctor", loop: context.loop,
        { Examination(insideLogger: Self.facts(configuration, file: file, report)).json },
        completion: { [weak self] json in
          self?.task = nil
          done(json)
        })
      return nil
    } catch {
      return Problem(503, "\(error); retry later, or run outrider doctor")
    }
  }

  private static func facts(_ settings: Configuration, file: SourceText?, _ report: LoggerReport)
    -> SystemFacts
  {
    let tree = FileTree()
    var facts = SystemFacts()
    facts.host = HostFacts(tree, machine: HostFacts.presentMachine)
    facts.observer = Identity.present(facts.host.accounts)
    facts.configuration.settings = settings
    if let file {
      facts.configuration.path = file.name
      facts.configuration.file = tree.node(file.name)
      if let editable = try? EditableSettings(file) {
        facts.configuration.secrets = ConfigurationFacts.secrets(in: editable)
      }
    }
    facts.logger.ownVersion = Release.version
    facts.logger.socket = settings.api.socket
    facts.logger.answer = .report(report)
    facts.logger.events = LoggedEvent.newest(inLogOf: settings.storage.directory)
    facts.port = PortFacts(tree, path: settings.receiver.port)
    let walk = ProcessWalk(
      tree, device: facts.port.target, mainProcess: ProcessEnvironment.processID, own: 0)
    facts.service.readUpgrade(tree)
    facts.service.process = walk.logger
    facts.port.holders = walk.holders
    facts.port.hidesProcesses = walk.hidesProcesses
    facts.buses = BusFacts(tree, settings)
    facts.clock = ClockFacts(
      tree, chip: settings.clockChip, now: SystemClock.timestamp().wholeSeconds,
      error: SystemClock.error().map(\.inSeconds))
    facts.storage = StorageFacts(tree, directory: settings.storage.directory)
    if case .known = facts.logger.events { facts.storage.logFault = .known(nil) }
    if case .hidden(let reason) = facts.logger.events { facts.storage.logFault = .hidden(reason) }
    facts.network = NetworkFacts(tree)
    var supply: String?
    if case .powerSupply(let name)? = settings.gauge?.source { supply = name }
    facts.power = PowerFacts(tree, supply: supply)
    return facts
  }
}
