import Glibc
import SystemLoop

/// The file beside the log in which what was set while running is kept: replaced as a whole, durable when ``write`` returns.
public enum SettingsFile {
  public static let name = "settings.json"

  public static func path(in directory: String) -> String { directory + "/" + name }

  /// Nil where there is none.
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
    // What a power cut left there is of no use.
    unlink(temporary)
    let file = Descriptor(
      owning: try check(
        "open", on: temporary, open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)))
    // Root may write for a logger that runs as somebody else.
    var owner = stat()
    if stat(directory, &owner) == 0 { _ = fchown(file.raw, owner.st_uid, owner.st_gid) }
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

  /// What has to become of a file that is there before another takes its place.
  public enum Remains: Equatable, Sendable {
    /// It was understood, or there is none.
    case nothing
    /// A part of it could not be understood.
    case aPart
    /// It is no file of settings, or not one that can be understood.
    case all
    /// It could not be read now, and may be whole: nothing takes its place.
    case outOfReach(SystemError)

    /// What has to become of a file that ``SettingsFile/read(in:limit:)`` could not read.
    public init(_ failure: FileFailure) {
      switch failure {
      case .notRegular: self = .all
      case .system(let error):
        // These speak of what lies there, all others of who reads and of the medium.
        self = [EFBIG, ELOOP, ENXIO].contains(error.number) ? .all : .outOfReach(error)
      }
    }
  }

  /// Keeps what could not be read as `settings.json.damaged` and answers with its path; nil where there is nothing to keep.
  /// A file of which a part counts stays where it is, too. Throws why nothing may take its place.
  public static func setAside(_ remains: Remains, in directory: String, limit: Int) throws(SystemError)
    -> String?
  {
    let target = path(in: directory) + ".damaged"
    switch remains {
    case .nothing: return nil
    case .aPart:
      // A file that has become unreadable meanwhile is moved.
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

  /// Writes as a program that is no logger, once what could not be read of the file before is set aside. Throws
  /// ``StoreError/inUse(directory:)`` while a logger runs.
  public static func replace(
    in directory: String, with bytes: [UInt8], settingAside remains: Remains = .nothing, limit: Int = .max
  ) throws(StoreError) {
    let place = try StorageDirectory(directory, allowVolatile: true)
    let lock = try DirectoryLock(place)
    defer { withExtendedLifetime(lock) {} }
    do {
      _ = try setAside(remains, in: directory, limit: limit)
      try write(bytes, in: directory)
    } catch { throw .system(error) }
  }
}
