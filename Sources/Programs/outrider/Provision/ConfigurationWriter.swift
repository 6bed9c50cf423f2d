import Glibc
import Provisioning
import Quantities
import System

/// Replaces a configuration file as a whole, with a copy of the former one.
enum ConfigurationWriter {
  /// Writes the file durably; after a power cut either the former or the new one exists. A symbolic link stays, and the
  /// file that it names is written. Returns the path of the copy, nil if there was no file.
  static func write(_ text: String, to name: String, at time: Timestamp) throws -> String? {
    let path = target(of: name)
    var copy: String?
    do {
      let former = try FileBytes.read(path, limit: 1 << 20)
      let stem = "\(path).\(time.iso8601().filter { $0.isNumber || $0 == "T" || $0 == "Z" })"
      // Two set-ups within a second leave two copies.
      let name = (2...9).lazy.map { "\(stem)-\($0)" }.reduce(stem) { access($0, F_OK) == 0 ? $1 : $0 }
      try perform(.replacing(name, with: former, .configuration))
      copy = name
    } catch let failure as FileFailure where failure.number == ENOENT {}
    try perform(.replacing(path, with: Array(text.utf8), .configuration))
    return copy
  }

  /// The path without symbolic links (realpath(3)); the path itself if there is no file.
  private static func target(of path: String) -> String {
    guard let real = realpath(path, nil) else { return path }
    defer { free(real) }
    return String(cString: real)
  }

  /// The reason why this user cannot write the file; nil if the directory, or the one above a missing directory, is
  /// writable.
  static func obstacle(_ path: String) -> String? {
    var directory = path
    repeat {
      directory = directory.lastIndex(of: "/").map { String(directory[..<$0]) } ?? "."
      if directory.isEmpty { directory = "/" }
    } while access(directory, F_OK) != 0 && directory != "/" && directory != "."
    if access(directory, W_OK) == 0 { return nil }
    return "\(directory): \(String(cString: strerror(errno))); use sudo"
  }

  private static func perform(_ steps: [FileStep]) throws(FileFault) {
    do throws(FileFault) {
      for step in steps { try step.perform(below: "") }
    } catch {
      for step in steps.afterFailure { _ = try? step.perform(below: "") }
      throw error
    }
  }
}
