import Glibc
import JSON
import Settings
import Store
import SystemLoop

/// Finds and reads what a run is configured by: the configuration file, the board file, the command line.
struct ConfigurationFiles {
  /// Why there is no configuration; the message is complete.
  struct Refusal: Error, CustomStringConvertible {
    var description: String
    /// The file that this user may not read; nil for any other reason.
    var deniedPath: String?
  }

  /// Which file the operator wrote.
  enum Source: Equatable {
    /// ``usualPath``, where it exists.
    case usual
    case named(String)
    case none
  }

  var source: Source
  /// `KEY=VALUE`, in the order of the command line.
  var overrides: [String]

  /// `$OUTRIDER_CONFIG`, else the file in `/etc`.
  static let usualPath = ProcessSurroundings.variable("OUTRIDER_CONFIG") ?? "/etc/outrider/config.json5"
  private static let largest = 1 << 20

  init(_ arguments: Arguments) {
    source = arguments.value("--config").map { .named($0) } ?? .usual
    overrides = arguments.values("--set")
    if let board = arguments.value("--board") { overrides.append("board=\(board)") }
  }

  init(overrides: [String]) {
    source = .none
    self.overrides = overrides
  }

  static let options = ["--config", "--board", "--set"]
  static let optionHelp = """
      --config FILE     the configuration, JSON5 (\(usualPath) when it exists;
                        $OUTRIDER_CONFIG names another file)
      --board NAME|FILE the board: a file of boards/ by its name, or a path
      --set KEY=VALUE   override any setting; may stand several times
    """

  /// What was read: the effective settings, and what they are made of.
  struct Loaded {
    var configuration: Configuration
    var sources: ConfigurationSources
    var stored: StoredSettings
    /// What of the file of what was set while running could not be read or understood.
    var remains = SettingsFile.Remains.nothing
    /// Why the file of what was set while running is out of this user's reach; nil if it was read.
    var storedFault: String?
    /// What of the configuration could not be used, or has no effect, each with what was done about it.
    var configurationWarnings: [String]

    /// Everything that is to be said once the files are read.
    var warnings: [String] { [storedFault].compactMap { $0 } + configurationWarnings }

    /// Puts a file of what was set that cannot be read, or not all of it, where nobody writes over it, and answers where
    /// that is; nil where there is nothing to put aside.
    func setDamageAside() throws(SystemError) -> String? {
      try SettingsFile.setAside(remains, in: configuration.storage.directory, limit: StoredSettings.largest)
    }
  }

  /// Every setting with its effective value. Throws ``Refusal`` with every fault that was found.
  func read() throws(Refusal) -> Configuration { try load().configuration }

  /// Reads everything anew, what was set while running too. Throws ``Refusal`` with every fault that was found.
  func load() throws(Refusal) -> Loaded {
    let sources = try self.sources()
    do throws(SettingsErrors) {
      // Where it lies is in the files.
      let plain = try sources.configuration()
      let (stored, remains, faults) = Self.stored(in: plain.storage.directory)
      let configuration = try sources.configuration(stored.layers)
      var isOutOfReach = false
      if case .outOfReach = remains { isOutOfReach = true }
      return Loaded(
        configuration: configuration, sources: sources, stored: stored, remains: remains,
        storedFault: isOutOfReach ? faults.first : nil,
        configurationWarnings: (isOutOfReach ? [] : faults)
          + configuration.storedFaults.map { "\($0); left out" } + configuration.warnings(on: .host))
    } catch {
      throw Refusal(description: "\(error)")
    }
  }

  /// The files as they are now.
  func sources() throws(Refusal) -> ConfigurationSources {
    let file = try configurationFile()
    let choice: BoardChoice?
    do { choice = try BoardChoice.named(in: file, overrides: overrides) } catch {
      throw Refusal(description: "\(error)")
    }
    let board = try choice.map { choice throws(Refusal) in try Self.boardFile(choice, besides: file?.name) }
    return ConfigurationSources(
      board: board, file: file, overrides: overrides, fallbacks: Self.fallbacks, chips: .driven)
  }

  /// What was set while running; nothing, with the reason, where it cannot be read.
  private static func stored(in directory: String) -> (
    StoredSettings, SettingsFile.Remains, faults: [String]
  ) {
    let path = SettingsFile.path(in: directory)
    do {
      guard let bytes = try SettingsFile.read(in: directory, limit: StoredSettings.largest) else {
        return (StoredSettings(), .nothing, [])
      }
      do throws(JSONFault) {
        let stored = try StoredSettings(json: bytes)
        return (
          stored, stored.faults.isEmpty ? .nothing : .aPart, stored.faults.map { "\(path): \($0)" }
        )
      } catch {
        let lost = "what was set while running is left out, outrider stop and privacy zones too: set it again"
        return (StoredSettings(), .all, ["\(path): damaged: \(error); \(lost)"])
      }
    } catch {
      let remains = SettingsFile.Remains(error)
      var fault = "\(error); what was set while running is left out, outrider stop and privacy zones too"
      if case .outOfReach = remains {
        fault += "; the file stays as it is: "
        var facts = stat()
        let isOwner = stat(directory, &facts) == 0 && facts.st_uid == geteuid()
        if !error.isOfAccess {
          fault += "look at the medium, and start the logger again"
        } else if isOwner {
          fault +=
            "give it to the logger's user (sudo chown --reference=\(directory) \(path)) and start the logger again"
        } else {
          fault += "ask as root or as the logger's user"
        }
      }
      return (StoredSettings(), remains, [fault])
    }
  }

  /// What a board file says alone.
  static func board(_ choice: BoardChoice) throws(Refusal) -> Configuration {
    let file = try boardFile(choice, besides: nil)
    do {
      return try Configuration.read(
        board: file, file: nil, overrides: [], fallbacks: fallbacks, chips: .driven)
    } catch {
      throw Refusal(description: "\(error)")
    }
  }

  static var fallbacks: Fallbacks {
    let host = ProcessSurroundings.hostName
    let runtime = ProcessSurroundings.variable("RUNTIME_DIRECTORY").flatMap { $0.isEmpty ? nil : $0 }
    return Fallbacks(
      deviceID: host.isEmpty ? "outrider" : host, apiSocket: "\(runtime ?? "/run/outrider")/api.sock")
  }

  func configurationFile() throws(Refusal) -> SourceText? {
    let path: String
    switch source {
    case .none: return nil
    case .usual: path = Self.usualPath
    case .named(let name): path = name
    }
    do {
      return SourceText(name: path, bytes: try FileBytes.read(path, limit: Self.largest))
    } catch {
      if source == .usual, error.number == ENOENT { return nil }
      throw Refusal(
        description: "\(error)\(remedy(for: error))", deniedPath: error.isOfAccess ? path : nil)
    }
  }

  private func remedy(for failure: FileFailure) -> String {
    if failure.isOfAccess { return "; let this user read it (chgrp, chmod 640)" }
    switch failure.number {
    case ENOENT, ENOTDIR, nil:
      return source == .usual
        ? "; name the configuration with --config FILE" : "; check the path after --config"
    case EFBIG: return "; this is no configuration: check the path"
    case _: return ""
    }
  }

  private static func boardFile(_ choice: BoardChoice, besides file: String?) throws(Refusal) -> SourceText {
    switch choice {
    case .file(let path):
      let folder = file.flatMap { $0.lastIndex(of: "/").map { index in String(file?[...index] ?? "") } } ?? ""
      let candidates = path.hasPrefix("/") ? [path] : [folder + path, path]
      return try firstReadable(candidates) {
        "board: \(path) is not there; give a path from the configuration's folder, or the name of a board"
      }
    case .named(let name):
      let paths = boardFolders.map { "\($0)/\(name).json5" }
      // The demo needs no installed file.
      if name == BuiltInBoard.name, !paths.contains(where: { access($0, F_OK) == 0 }) {
        return BuiltInBoard.file
      }
      return try firstReadable(paths) {
        "board: no board \"\(name)\" in \(boardFolders.joined(separator: ", ")); "
          + "there are: \(boardNames.joined(separator: ", ")); install others, or give the path of a board file"
      }
    }
  }

  private static func firstReadable(_ paths: [String], _ message: () -> String) throws(Refusal) -> SourceText
  {
    for path in paths {
      do {
        return SourceText(name: path, bytes: try FileBytes.read(path, limit: largest))
      } catch {
        guard error.number == ENOENT || error.number == ENOTDIR else {
          throw Refusal(description: error.description)
        }
      }
    }
    throw Refusal(description: message())
  }

  /// The folders that are searched for board files: `$OUTRIDER_BOARDS`, `boards` beside the program or above it,
  /// `share/outrider/boards` of the program's prefix, and where a package puts them.
  static var boardFolders: [String] {
    var folders: [String] = []
    if let named = ProcessSurroundings.variable("OUTRIDER_BOARDS") { folders.append(named) }
    var place = ProcessSurroundings.executable ?? ""
    if let slash = place.lastIndex(of: "/"), place[..<slash].hasSuffix("/bin") {
      folders.append("\(place[..<slash].dropLast(4))/share/outrider/boards")
    }
    while let slash = place.lastIndex(of: "/") {
      place = String(place[..<slash])
      let folder = "\(place)/boards"
      if access("\(folder)/simulator.json5", R_OK) == 0 { folders.append(folder) }
    }
    let usual = "/usr/share/outrider/boards"
    return folders.contains(usual) ? folders : folders + [usual]
  }

  /// The boards that can be chosen by name.
  static var boardNames: [String] {
    var names: Set<String> = [BuiltInBoard.name]
    for folder in boardFolders {
      guard let directory = opendir(folder) else { continue }
      defer { closedir(directory) }
      while let entry = readdir(directory) {
        let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
          String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        if name.hasSuffix(".json5") { names.insert(String(name.dropLast(6))) }
      }
    }
    return names.sorted()
  }
}
