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
    do { try file.write(bytes, to: temporary) } catch {
      unlink(temporary)
      throw error
    }
    try check("fsync", on: temporary, fsync(file.raw))
    try check("rename", on: target, rename(temporary, target))
    let folder = Descriptor(
      owning: try check("open", on: directory, open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)))
    try check("fsync", on: directory, fsync(folder.raw))
  }

  /// Moves a file that cannot be read out of the way and answers with its new path; nil where that failed.
  public static func setAside(in directory: String) -> String? {
    let target = path(in: directory) + ".damaged"
    return rename(path(in: directory), target) == 0 ? target : nil
  }

  /// Copies a file of which a part cannot be read, and answers with the path of the copy; nil where that failed.
  public static func copyAside(in directory: String, limit: Int) -> String? {
    guard let bytes = try? read(in: directory, limit: limit) else { return nil }
    let target = path(in: directory) + ".damaged"
    return (try? write(bytes, to: target, in: directory)) == nil ? nil : target
  }

  /// Writes as a program that is no logger; throws ``StoreError/inUse(directory:)`` while a logger runs.
  public static func replace(in directory: String, with bytes: [UInt8]) throws(StoreError) {
    let place = try StorageDirectory(directory, allowVolatile: true)
    let lock = try DirectoryLock(place)
    defer { withExtendedLifetime(lock) {} }
    do { try write(bytes, in: directory) } catch { throw .system(error) }
  }
}
