import Glibc
import SystemLoop

/// A file that is there whole under its name, or not at all: it is written beside it and moved when it is finished.
final class OutputFile {
  private let path: String
  private let draft: String
  private let file: Descriptor
  private var isFinished = false

  init(path: String) throws(SystemError) {
    self.path = path
    draft = path + ".part"
    file = Descriptor(
      owning: try check(
        "open", on: draft, open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o666)))
  }

  deinit {
    if !isFinished { unlink(draft) }
  }

  func write(_ bytes: [UInt8]) throws(SystemError) {
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes {
        Glibc.write(file.raw, $0.baseAddress?.advanced(by: written), $0.count - written)
      }
      if count < 0, errno == EINTR { continue }
      written += try check("write", on: draft, count)
    }
  }

  func finish() throws(SystemError) {
    try check("rename", on: path, rename(draft, path))
    isFinished = true
  }
}
