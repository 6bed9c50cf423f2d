import Glibc
import SystemLoop

/// A file that a measurement needs.
enum BytesFile {
  /// Writes the bytes so many times over, one copy after the other.
  static func write(_ bytes: [UInt8], copies: Int = 1, to path: String) throws(SystemError) {
    let flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC
    let file = Descriptor(owning: try check("open", on: path, open(path, flags, 0o644)))
    for _ in 0..<copies {
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = rest.withUnsafeBytes { Glibc.write(file.raw, $0.baseAddress, $0.count) }
        if count < 0, errno == EINTR { continue }
        rest = rest.dropFirst(try check("write", on: path, count))
      }
    }
  }
}
