import BoardSetup
import FoundationEssentials
import Glibc
import JSON
import System

/// Reads the files of a system on which the set-up of a board depends.
public struct SetupSystem: Sendable {
  /// The directory that stands for `/`; empty for the running system.
  public let root: String

  /// The state file. Its directory belongs to root: the service may write to its own directory.
  public static let recordPath = "/var/lib/outrider-setup/state.json"
  private static let largestRecord = 65_536

  public init(root: String = "") { self.root = root.hasSuffix("/") ? String(root.dropLast()) : root }

  /// The digest of the state file: SHA-256.
  public static let digest = Digesting { SHA256.text(of: $0) }

  /// Reads files, copies, services and groups. `services` are names without suffix; `groups` are those that the logger
  /// requires.
  public func state(services: [String], groups: [String]) throws(SetupFailure) -> MachineState {
    var state = MachineState(root: root, bootFolder: try bootFolder())
    for file in SetupFile.allCases where state.bootFolder != nil || !file.isOfBootPartition {
      let path = state.path(of: file)
      state.files[file] = try Self.read(path, limit: BootConfiguration.largest)
      state.copies[file] = try Self.read(path + SetupFile.copySuffix, limit: BootConfiguration.largest)
    }
    for service in services { state.services[service] = serviceState(service) }
    state.missingGroups = missingGroups(groups)
    return state
  }

  /// Reads the state file.
  public func memory() throws(SetupFailure) -> SetupMemory {
    let stored: [UInt8]?
    do throws(SetupFailure) {
      stored = try Self.read(root + Self.recordPath, limit: Self.largestRecord)
    } catch {
      if case .file(let failure) = error, failure.number == EFBIG { return .damaged }
      throw error
    }
    guard let bytes = stored else { return .none }
    guard let record = StoredRecord(json: bytes)?.record else { return .damaged }
    return .record(record)
  }

  /// The mount point of the boot partition: `/boot/firmware` from Debian 12 on, `/boot` before; nil if there is none.
  private func bootFolder() throws(SetupFailure) -> String? {
    let new = "/boot/firmware"
    if exists("\(new)/config.txt") { return new }
    guard exists("/boot/config.txt") else { return nil }
    // From Debian 12 on, /boot/config.txt only names the new place.
    if exists(new) { throw .notMounted(new) }
    return "/boot"
  }

  /// The bytes of a regular file; nil if there is none.
  static func read(_ path: String, limit: Int) throws(SetupFailure) -> [UInt8]? {
    var status = stat()
    if lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK { throw .symbolicLink(path) }
    do {
      return try FileBytes.read(path, limit: limit)
    } catch {
      if error.number == ENOENT || error.number == ENOTDIR { return nil }
      throw .file(error)
    }
  }

  private func exists(_ path: String) -> Bool {
    var status = stat()
    return lstat(root + path, &status) == 0
  }

  // MARK: Services

  private static let unitFolders = ["/etc/systemd/system", "/usr/lib/systemd/system", "/lib/systemd/system"]

  /// The state by the links of systemctl(1) in /etc/systemd/system; nil if no unit file exists.
  private func serviceState(_ name: String) -> ServiceState? {
    let own = "/etc/systemd/system/\(name).service"
    var target = [CChar](repeating: 0, count: Int(PATH_MAX))
    let length = readlink(root + own, &target, target.count - 1)
    if length > 0,
      String(decoding: target[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self) == "/dev/null"
    {
      return .masked
    }
    var files = ["\(name).service"]
    if let at = name.firstIndex(of: "@") { files.append("\(name[...at]).service") }
    let isInstalled = Self.unitFolders.contains { folder in files.contains { exists("\(folder)/\($0)") } }
    guard isInstalled else { return nil }
    let folders = names(in: "/etc/systemd/system").filter {
      $0.hasSuffix(".wants") || $0.hasSuffix(".requires")
    }
    return folders.contains { exists("/etc/systemd/system/\($0)/\(name).service") } ? .enabled : .disabled
  }

  private func names(in folder: String) -> [String] {
    guard let directory = opendir(root + folder) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      names.append(
        withUnsafeBytes(of: entry.pointee.d_name) { bytes in
          String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        })
    }
    return names
  }

  // MARK: Groups

  /// The groups of `expected` that exist and of which the user of the service is no member; empty without that user.
  private func missingGroups(_ expected: [String]) -> [String] {
    guard fields(of: "/etc/passwd", named: SystemCommand.user) != nil else { return [] }
    return expected.filter { group in
      guard let fields = fields(of: "/etc/group", named: group), fields.count > 3 else { return false }
      return !fields[3].split(separator: ",").contains { $0 == SystemCommand.user }
    }
  }

  private func fields(of path: String, named name: String) -> [Substring]? {
    guard let bytes = try? FileBytes.read(root + path, limit: 1 << 20) else { return nil }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").lazy
      .map { $0.split(separator: ":", omittingEmptySubsequences: false) }
      .first { $0.first == name[...] }
  }
}

/// The state file as JSON.
struct StoredRecord: Codable {
  private var version = 1
  private var board: String
  private var complete: Bool
  private var files: [String: SetupRecord.Entry]
  private var services: [String]

  init(_ record: SetupRecord) {
    board = record.board
    complete = record.isComplete
    files = Dictionary(uniqueKeysWithValues: record.files.map { ($0.key.rawValue, $0.value) })
    services = record.services
  }

  /// Decodes the bytes of a state file; nil if they are damaged.
  init?(json: [UInt8]) {
    let limits = CheckedJSON.Limits(depth: 8, values: 1000)
    guard let stored = try? CheckedJSON(json, limits: limits).decode(StoredRecord.self), stored.version == 1
    else { return nil }
    self = stored
  }

  /// The record; nil if it names an unknown file, or a service that would be an option of systemctl(1).
  var record: SetupRecord? {
    var entries: [SetupFile: SetupRecord.Entry] = [:]
    for (name, entry) in files {
      guard let file = SetupFile(rawValue: name) else { return nil }
      entries[file] = entry
    }
    guard services.allSatisfy({ !$0.isEmpty && !$0.hasPrefix("-") }) else { return nil }
    return SetupRecord(board: board, isComplete: complete, files: entries, services: services)
  }

  /// The bytes of the state file.
  func json() throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
    return Array(try encoder.encode(self)) + [0x0A]
  }
}
