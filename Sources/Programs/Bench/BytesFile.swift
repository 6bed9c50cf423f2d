import Glibc
import System

/// Writes files for measurements.
enum BytesFile {
  /// Writes `copies` copies of the bytes in succession.
  static func write(_ bytes: [UInt8], copies: Int = 1, to path: String) throws(SystemError) {
    let flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC
    let file = Descriptor(owning: try check("open", on: path, open(path, flags, 0o644)))
    for _ in 0..<copies { try file.write(bytes, to: path) }
  }
}
