import Glibc
import System

/// The file `settings.json` beside the log: the settings that operator and servers changed at run time.
///
/// It is replaced as a whole and is durable when ``write(_:in:)`` returns.
public enum SettingsFile {
  public static let name = "settings.json"

  public static func path(in directory: String) -> String { directory + "/" + name }

  /// The content of the file; nil if it does not exist.
  public static func read(in directory: String, limit: Int) throws(FileFailure) -> [UInt8]? {
    do {
      return try FileBytes.read(path(in: directory), limit: limit)
    } catch {
      if error.number == ENOENT || error.number == ENOTDIR { return nil }
      throw error
    }
  }

  /// Writes a temporary file, flushes it, renames it and flushes the directory (rename(2)). Only the owner may read it.
  public static func write(_ bytes: [UInt8], in directory: String) throws(SystemError) {
    try write(bytes, to: path(in: directory), in: directory)
  }

  private static func write(_ bytes: [UInt8], to target: String, in directory: String) throws(SystemError) {
    let temporary = target + ".new"
    // A leftover of a write that a power cut interrupted.
    unlink(temporary)
    let file = Descriptor(
      owning: try check(
        "open", on: temporary, open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)))
    file.giveToOwner(of: directory)
    do {
      try file.write(bytes, to: temporary)
      try check("fsync", on: temporary, fsync(file.raw))
      try check("rename", on: target, rename(temporary, target))
    } catch {
      unlink(temporary)
      throw error
    }
    let folder = Descriptor(
      owning: try check("open", on: directory, open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)))
    try check("fsync", on: directory, fsync(folder.raw))
  }

  /// The unreadable part of an existing file, which has to be saved before the file is replaced.
  public enum Remains: Equatable, Sendable {
    /// The file was read completely, or does not exist.
    case nothing
    /// The file is valid only in part.
    case aPart
    /// The file is not a settings file, or is invalid as a whole.
    case all
    /// The file cannot be read at present and may be valid: it must not be replaced.
    case outOfReach(SystemError)

    /// Classifies a failure of ``SettingsFile/read(in:limit:)``.
    public init(_ failure: FileFailure) {
      switch failure {
      case .notRegular: self = .all
      case .system(let error):
        // These errors concern the file itself; all others concern permissions or the medium.
        self = [EFBIG, ELOOP, ENXIO].contains(error.number) ? .all : .outOfReach(error)
      }
    }
  }

  /// Saves an unreadable file as `settings.json.damaged` and returns that path; nil if there is nothing to save.
  ///
  /// A partly valid file is copied, any other is renamed. Throws if the file must not be replaced.
  public static func setAside(_ remains: Remains, in directory: String, limit: Int) throws(SystemError)
    -> String?
  {
    let target = path(in: directory) + ".damaged"
    switch remains {
    case .nothing: return nil
    case .aPart:
      // A file that has become unreadable meanwhile is renamed.
      if let bytes = try? read(in: directory, limit: limit) {
        try write(bytes, to: target, in: directory)
        return target
      }
      fallthrough
    case .all:
      guard rename(path(in: directory), target) != 0 else { return target }
      let number = errno
      if number == ENOENT { return nil }
      throw SystemError(call: "rename", subject: target, number: number)
    case .outOfReach(let error):
      var facts = stat()
      guard lstat(path(in: directory), &facts) != 0, errno == ENOENT else { throw error }
      return nil
    }
  }

  /// Replaces the file on behalf of a program other than the logger, after saving an unreadable one.
  ///
  /// Throws ``StoreError/inUse(directory:)`` while a logger runs.
  public static func replace(
    in directory: String, with bytes: [UInt8], settingAside remains: Remains = .nothing, limit: Int = .max
  ) throws(StoreError) {
    let storage = try StorageDirectory(directory, allowVolatile: true)
    let lock = try DirectoryLock(storage)
    defer { withExtendedLifetime(lock) {} }
    do {
      _ = try setAside(remains, in: directory, limit: limit)
      try write(bytes, in: directory)
    } catch { throw .system(error) }
  }
}
