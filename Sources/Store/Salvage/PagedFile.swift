import Glibc
import SystemLoop

/// A file read page by page at any offset; what cannot be read is skipped and counted.
final class PagedFile {
  private let descriptor: Descriptor
  /// Bytes when it was opened.
  let size: Int
  /// Places at which the medium gave an error.
  private(set) var unreadable = 0

  /// Nil when there is no such file or it cannot be opened.
  init?(_ path: String) {
    let opened = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    guard opened >= 0 else { return nil }
    descriptor = Descriptor(owning: opened)
    var facts = stat()
    size = fstat(opened, &facts) == 0 && facts.st_mode & S_IFMT == S_IFREG ? Int(facts.st_size) : 0
  }

  /// Fills `bytes` from `offset`, with zeros beyond the end; false when nothing could be read there.
  func read(into bytes: inout [UInt8], at offset: Int) -> Bool {
    let wanted = bytes.count
    var filled = 0
    bytes.withUnsafeMutableBytes { buffer in
      while filled < wanted {
        let count = pread(
          descriptor.raw, buffer.baseAddress?.advanced(by: filled), wanted - filled, offset + filled)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else {
          if count < 0 { unreadable += 1 }
          break
        }
        filled += count
      }
      for index in filled..<wanted { buffer[index] = 0 }
    }
    return filled > 0
  }
}
