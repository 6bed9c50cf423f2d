import Glibc
import SystemLoop

/// A text written to a file in one go.
enum TextFile {
  static func write(_ text: String, to path: String) throws {
    let file = Descriptor(
      owning: try check("open", on: path, open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)))
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(file.raw, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      try check("write", on: path, count)
      rest = rest.dropFirst(count)
    }
  }
}
