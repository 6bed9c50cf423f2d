import GNSSProtocol
import Glibc
import JSON
import Provisioning
import Settings
import Store
import System

/// Finds and reads the sources of a configuration: the configuration file, the board file and the command line.
struct ConfigurationFiles {
  /// The reason why there is no configuration, as a complete message.
  struct Refusal: Error, CustomStringConvertible {
    var description: String
    /// The file that this user must not read; nil for any other reason.
    var deniedPath: String?
  }

  /// The configuration file to read.
  enum Source: Equatable {
    /// The file at ``usualPath``, if it exists.
    case usual
    case named(String)
    /// A text that will be written to the path `target`.
    case text(SourceText, target: String)
    case none
  }

  var source: Source
  /// The values of `--set`, `KEY=VALUE`, in the order of the command line.
  var overrides: [String]

  /// The path `$OUTRIDER_CONFIG`, by default the file in `/etc`; with a read-only root, the file beside the log.
  static let usualPath = ProcessEnvironment.variable("OUTRIDER_CONFIG") ?? UsualConfiguration().path
  /// The message about a second file that is ignored; nil if there is none.
  private static var secondFile: String? {
    ProcessEnvironment.variable("OUTRIDER_CONFIG") == nil ? UsualConfiguration().warning : nil
  }

  private static let largest = 1 << 20

  init(_ arguments: Arguments) {
    source = arguments.value("--config").map { .named($0) } ?? .usual
    overrides = arguments.values("--set")
    if let board = arguments.value("--board") { overrides.append("board=\(board)") }
  }

  init(_ source: Source = .none, overrides: [String]) {
    self.source = source
    self.overrides = overrides
  }

  static let options: [CommandOption] = [
    .value(
      "--config", "FILE", .file,
      text: """
        configuration file, JSON5 (default: \(ConfigurationLocation.usual), if it exists; $OUTRIDER_CONFIG changes the default)
        """),
    .value("--board", "NAME|FILE", .board, text: "board: the name of a board file, or its path"),
    .value("--set", "KEY=VALUE", .setting, isRepeatable: true, text: "override a setting; repeatable"),
  ]

  /// A configuration that was read: the effective settings, their sources and the warnings.
  struct Loaded {
    var configuration: Configuration
    var sources: ConfigurationSources
    var stored: StoredSettings
    /// The part of the file of run-time settings that could not be read.
    var remains = SettingsFile.Remains.nothing
    /// The reason why this user cannot read the file of run-time settings; nil if it was read.
    var storedFault: String?
    /// The settings that were ignored or have no effect, each with the reason.
    var configurationWarnings: [String]

    /// All warnings for the operator.
    var warnings: [String] { [storedFault].compactMap { $0 } + configurationWarnings }

    /// Moves a damaged file of run-time settings to a name that is never overwritten, and returns that name; nil if the
    /// file is undamaged.
    func setDamageAside() throws(SystemError) -> String? {
      try SettingsFile.setAside(remains, in: configuration.storage.directory, limit: StoredSettings.largest)
    }
  }

  /// Returns every setting with its effective value. Throws ``Refusal`` with all faults.
  func read() throws(Refusal) -> Configuration { try load().configuration }

  /// Reads all sources, including the run-time settings. Throws ``Refusal`` with all faults.
  func load() throws(Refusal) -> Loaded {
    let sources = try self.sources()
    do throws(SettingsErrors) {
      // The files name the storage directory.
      let plain = try sources.configuration()
      let (stored, remains, faults) = Self.stored(in: plain.storage.directory)
      let configuration = try sources.configuration(stored.layers)
      var isOutOfReach = false
      if case .outOfReach = remains { isOutOfReach = true }
      return Loaded(
        configuration: configuration, sources: sources, stored: stored, remains: remains,
        storedFault: isOutOfReach ? faults.first : nil,
        configurationWarnings: [source == .usual ? Self.secondFile : nil].compactMap { $0 }
          + (isOutOfReach ? [] : faults)
          + configuration.storedFaults.map { "\($0); ignored" } + configuration.warnings(on: .host))
    } catch {
      throw Refusal(description: "\(error)")
    }
  }

  /// Reads the configuration file and the board file.
  func sources() throws(Refusal) -> ConfigurationSources {
    let file = try configurationFile()
    let choice: BoardChoice?
    do { choice = try BoardChoice.named(in: file, overrides: overrides) } catch {
      throw Refusal(description: "\(error)")
    }
    var neighbour = file?.name
    if case .text(_, let target) = source { neighbour = target }
    let location = BoardChoice.location(in: file, overrides: overrides).map { "\($0)" } ?? "board"
    let board = try choice.map { choice throws(Refusal) in
      try Self.boardFile(choice, besides: neighbour, location: location)
    }
    return ConfigurationSources(
      board: board, file: file, overrides: overrides, fallbacks: Self.fallbacks, chips: .driven)
  }

  /// Reads the run-time settings; empty, with the reason, if the file cannot be read.
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
        let lost = "run-time settings are ignored, including outrider stop and privacy zones; set them again"
        return (StoredSettings(), .all, ["\(path): damaged: \(error); \(lost)"])
      }
    } catch {
      let remains = SettingsFile.Remains(error)
      var fault = "\(error); run-time settings are ignored, including outrider stop and privacy zones"
      if case .outOfReach = remains {
        fault += "; the file is left unchanged; "
        var facts = stat()
        let isOwner = stat(directory, &facts) == 0 && facts.st_uid == geteuid()
        if !error.isOfAccess {
          fault += "check the storage medium and restart the logger"
        } else if isOwner {
          fault +=
            "give it to the logger's user (sudo chown --reference=\(directory) \(path)) and restart the logger"
        } else {
          fault += "run the command as root or as the logger's user"
        }
      }
      return (StoredSettings(), remains, [fault])
    }
  }

  /// Reads a board file without a configuration.
  static func board(_ choice: BoardChoice) throws(Refusal) -> Configuration {
    let file = try boardFile(choice, besides: nil, location: "board")
    do {
      return try Configuration.read(
        board: file, file: nil, overrides: [], fallbacks: fallbacks, chips: .driven)
    } catch {
      throw Refusal(description: "\(error)")
    }
  }

  /// The defaults that depend on the host.
  static var fallbacks: Fallbacks {
    let host = ProcessEnvironment.hostName
    let runtime = ProcessEnvironment.variable("RUNTIME_DIRECTORY").flatMap { $0.isEmpty ? nil : $0 }
    return Fallbacks(
      deviceID: host.isEmpty ? "outrider" : host, apiSocket: "\(runtime ?? "/run/outrider")/api.sock")
  }

  /// Reads the configuration file; nil if none is named and the default file does not exist.
  func configurationFile() throws(Refusal) -> SourceText? {
    let path: String
    switch source {
    case .none: return nil
    case .usual: path = Self.usualPath
    case .named(let name): path = name
    case .text(let text, _): return text
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
    if failure.isOfAccess { return "; grant this user read access (chgrp, chmod 640)" }
    switch failure.number {
    case ENOENT, ENOTDIR, nil:
      return source == .usual
        ? "; name the configuration with --config FILE" : "; check the path given with --config"
    case EFBIG: return "; this is not a configuration file; check the path"
    case _: return ""
    }
  }

  /// `location`: that of the setting, for messages.
  private static func boardFile(
    _ choice: BoardChoice, besides file: String?, location: String
  ) throws(Refusal) -> SourceText {
    switch choice {
    case .file(let path):
      let folder = file.flatMap { $0.lastIndex(of: "/").map { index in String(file?[...index] ?? "") } } ?? ""
      let candidates = path.hasPrefix("/") ? [path] : [folder + path, path]
      return try firstReadable(candidates) {
        "\(location): \(path) does not exist; give a path relative to the configuration file, or a board name"
      }
    case .named(let name):
      let paths = boardFolders.map { "\($0)/\(name).json5" }
      // The demo needs no installed file.
      if name == BuiltInBoard.name, !paths.contains(where: { access($0, F_OK) == 0 }) {
        return BuiltInBoard.file
      }
      return try firstReadable(paths) {
        "\(location): no board \"\(name)\" in \(boardFolders.joined(separator: ", ")); "
          + "available: \(boardNames.joined(separator: ", ")); install the board file, or give its path"
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

  /// The directories that are searched for board files.
  ///
  /// They are `$OUTRIDER_BOARDS`, `boards` beside the program or above it, `share/outrider/boards` of the program's
  /// prefix, and `/usr/share/outrider/boards` of a package.
  static var boardFolders: [String] {
    var folders: [String] = []
    if let named = ProcessEnvironment.variable("OUTRIDER_BOARDS") { folders.append(named) }
    var location = ProcessEnvironment.executable ?? ""
    if let slash = location.lastIndex(of: "/"), location[..<slash].hasSuffix("/bin") {
      folders.append("\(location[..<slash].dropLast(4))/share/outrider/boards")
    }
    while let slash = location.lastIndex(of: "/") {
      location = String(location[..<slash])
      let folder = "\(location)/boards"
      if access("\(folder)/simulator.json5", R_OK) == 0 { folders.append(folder) }
    }
    let usual = "/usr/share/outrider/boards"
    return folders.contains(usual) ? folders : folders + [usual]
  }

  /// The names that `--board` accepts.
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
