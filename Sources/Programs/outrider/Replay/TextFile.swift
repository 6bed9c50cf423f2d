import Glibc
import System

/// Writes a text to a file.
enum TextFile {
  static func write(_ text: String, to path: String) throws {
    let file = Descriptor(
      owning: try check("open", on: path, open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)))
    try file.write(Array(text.utf8), to: path)
  }
}
