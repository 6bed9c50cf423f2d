import Glibc
import System

/// A file that appears under its name complete or not at all.
///
/// It is written under a temporary name in the same directory, and renamed when it is finished.
final class OutputFile {
  private let path: String
  private let draft: String
  private let file: Descriptor
  private var isFinished = false

  init(path: String) throws(SystemError) {
    self.path = path
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    var number = 0
    while true {
      let draft = "\(folder).outrider-\(getpid())-\(number)"
      let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
      if descriptor < 0, errno == EEXIST, number < 100 {
        number += 1
        continue
      }
      file = Descriptor(owning: try check("open", on: draft, descriptor))
      self.draft = draft
      return
    }
  }

  deinit {
    if !isFinished { unlink(draft) }
  }

  func write(_ bytes: [UInt8]) throws(SystemError) { try file.write(bytes, to: draft) }

  func finish() throws(SystemError) {
    try check("rename", on: path, rename(draft, path))
    isFinished = true
  }
}
