import Chips
import Daemon
import Doctor
import Glibc
import Inspection
import LocalAPI
import Quantities
import Settings
import Store
import System

/// Collects the facts for the checks: from the files, from systemd, from the running logger and over the network.
///
/// A running logger reports receiver and chips, so that neither port nor bus is used twice.
struct SystemInspection {
  var files: ConfigurationFiles
  /// True to leave out the network.
  var isOffline = false
  /// The unit file to check instead of the unit that systemd loaded; nil for that one.
  var unit: UnitProperties?
  /// The groups of checks that require facts.
  var groups: Set<CheckGroup>
  private let tree = FileTree()
  private let budget = TimeBudget(from: SystemClock.moment())

  init(_ files: ConfigurationFiles, isOffline: Bool, unit: UnitProperties?, groups: Set<CheckGroup>) {
    self.files = files
    self.isOffline = isOffline
    self.unit = unit
    self.groups = groups
  }

  func facts() -> SystemFacts {
    var facts = SystemFacts()
    facts.host = HostFacts(tree, machine: HostFacts.presentMachine)
    facts.observer = Identity.present(facts.host.accounts)
    facts.configuration = configuration()
    let settings = facts.configuration.settings
    facts.logger = LoggerInspection.facts(files, settings)
    facts.port = PortFacts(tree, path: settings?.receiver.port)
    let names = [facts.port.target, facts.port.path].compactMap { $0 }.map {
      String($0.split(separator: "/").last ?? "")
    }
    facts.service = ServiceFacts(run, ports: Set(names).sorted())
    facts.service.readUpgrade(tree)
    if let unit { facts.service.unit = unit }
    readProcesses(&facts)
    readDevices(&facts)
    facts.storage = storage(facts, settings)
    facts.network = network(facts)
    compareSettings(&facts)
    return facts
  }

  private func run(_ name: String, _ arguments: [String]) -> ProgramOutput.Result {
    ProgramOutput.run(name, arguments, within: budget)
  }

  // MARK: Configuration

  private func configuration() -> ConfigurationFacts {
    var facts = ConfigurationFacts()
    if case .named(let path) = files.source {
      facts.path = path
    } else {
      facts.path = ConfigurationFiles.usualPath
    }
    facts.file = tree.node(facts.path.hasPrefix("/") ? facts.path : "\(Self.workingDirectory)/\(facts.path)")
    facts.hasOverrides = !files.overrides.isEmpty
    do throws(ConfigurationFiles.Refusal) {
      let loaded = try files.load()
      facts.settings = loaded.configuration
      facts.warnings = loaded.configurationWarnings
      facts.storedFault = loaded.storedFault
      if case .outOfReach(let error) = loaded.remains {
        facts.isStoredDenied = [EACCES, EPERM].contains(error.number)
      }
      facts.scripts = scripts(loaded.configuration)
      if let text = try files.configurationFile(), let file = try? EditableSettings(text) {
        facts.secrets = ConfigurationFacts.secrets(in: file)
      }
    } catch {
      // Reading may fail on the file itself, or on a directory above it.
      let isClosed = AccessAdvice(opening: facts.path) != nil
      facts.isDenied = error.deniedPath != nil || isClosed
      facts.fault = error.description
    }
    return facts
  }

  private static var workingDirectory: String {
    guard let path = getcwd(nil, 0) else { return "" }
    defer { free(path) }
    return String(cString: path)
  }

  /// The text of the programs that the configuration names and that are scripts.
  private func scripts(_ settings: Configuration) -> [String: String] {
    var paths = [settings.network.up, settings.network.down, settings.host.down].compactMap { $0 }
    paths += settings.notificationPrograms
    var scripts: [String: String] = [:]
    for path in paths {
      if let text = tree.text(path), text.hasPrefix("#!") { scripts[path] = text }
    }
    return scripts
  }

  /// Finds the settings that the running logger has with other values.
  private func compareSettings(_ facts: inout SystemFacts) {
    guard groups.contains(.configuration), let settings = facts.configuration.settings else { return }
    guard facts.logger.report != nil else { return }
    // Without the run-time settings every changed value would differ.
    guard facts.configuration.storedFault == nil else {
      facts.configuration.differences = .hidden(facts.configuration.unreadStored(facts.observer))
      return
    }
    do {
      guard let running = try LocalCall.settings(settings) else { return }
      let own = Dictionary(
        SettingsListing(settings).rows.map { ($0.key, $0.json) }, uniquingKeysWith: { first, _ in first })
      let differing = running.rows.filter { row in own[row.key].map { $0 != row.json } ?? false }
      facts.configuration.differences = .known(differing.map(\.key))
    } catch {
      facts.configuration.differences = .hidden("\(error)")
    }
  }

  // MARK: Processes and devices

  private func readProcesses(_ facts: inout SystemFacts) {
    let main = facts.service.unit?.integer("MainPID").flatMap { Int32(exactly: $0) }.flatMap {
      $0 > 0 ? $0 : nil
    }
    let walk = ProcessWalk(tree, device: facts.port.target, mainProcess: main)
    facts.service.process = walk.logger
    facts.port.holders = walk.holders
    facts.port.hidesProcesses = walk.hidesProcesses
  }

  private func readDevices(_ facts: inout SystemFacts) {
    let settings = facts.configuration.settings
    facts.buses = BusFacts(tree, settings)
    facts.buses.usualAddresses = ChipNames.driven.addresses
    facts.buses.readConsumers()
    facts.clock = ClockFacts(
      tree, chip: settings?.clockChip, socket: settings?.clock.chrony,
      now: SystemClock.timestamp().wholeSeconds,
      error: SystemClock.error().map(\.inSeconds))
    var supply: String?
    if case .powerSupply(let name)? = settings?.gauge?.source { supply = name }
    facts.power = PowerFacts(tree, supply: supply)
    // Only without a logger: another user of port or bus would disturb it.
    guard facts.logger.answer == .nobody, facts.service.process == nil, let settings else { return }
    if groups.contains(.buses) { facts.buses.scan(settings) }
    if groups.contains(.receiver) { facts.port.listening = listening(facts.port, settings) }
  }

  private func listening(_ port: PortFacts, _ settings: Configuration) -> Fact<PortFacts.Listening> {
    guard let target = port.target else { return .absent }
    guard port.holders.isEmpty else { return .hidden("not checked: see port-held") }
    if port.hidesProcesses {
      return .hidden("run as root to listen: another user's process may read the port")
    }
    var speed: UInt32?
    if case .fixed(let baud) = settings.receiver.speed { speed = baud }
    return PortListening.listen(target, speed: speed, until: budget.checkDeadline())
  }

  // MARK: Storage and network

  private func storage(_ facts: SystemFacts, _ settings: Configuration?) -> StorageFacts {
    var storage = StorageFacts(tree, directory: settings?.storage.directory)
    storage.logFault = LoggerInspection.logFault(facts.logger, settings)
    if case .file(let path)? = settings?.map.tiles { storage.tiles = tiles(path) }
    return storage
  }

  private func tiles(_ path: String) -> Fact<StorageFacts.TileFacts> {
    guard groups.contains(.storage) else { return .absent }
    do throws(TileFile.Fault) {
      return .known(StorageFacts.TileFacts(bounds: try TileFile(path: path).examine().bounds))
    } catch {
      // Another user's directory is not a fault of the map.
      let isDenied = access(path, F_OK) != 0 && errno == EACCES || access(path, R_OK) != 0 && errno == EACCES
      return isDenied
        ? .hidden("\(path): this user may not read it") : .known(.init(fault: error.description))
    }
  }

  private func network(_ facts: SystemFacts) -> NetworkFacts {
    var network = NetworkFacts(tree)
    guard groups.contains(.network) else {
      network.untested = "the network was not selected"
      return network
    }
    if isOffline {
      network.untested = "--offline"
      return network
    }
    if case .text(let text) = run("nmcli", ["networking", "connectivity"]) {
      let word = text.split(whereSeparator: \.isWhitespace).first.map(String.init)
      network.connectivity = word.flatMap { ["none", "portal", "limited", "full"].contains($0) ? $0 : nil }
    }
    guard let settings = facts.configuration.settings else { return network }
    network.destinations = DestinationInspection(
      settings: settings, report: facts.logger.report, isLoggerRunning: facts.service.process != nil,
      isSwitchedOff: network.defaultRoutes.value?.isEmpty == true
        && (settings.network.up != nil || settings.network.radio != nil || settings.network.line != nil)
    ).facts(within: budget.timeForCheck())
    return network
  }
}
