import Glibc
import System

/// A file that is read page by page at any offset; pages that cannot be read are skipped and counted.
final class PagedFile {
  private let descriptor: Descriptor
  /// Size in bytes when it was opened.
  let size: Int
  /// Number of read errors.
  private(set) var unreadable = 0

  /// Opens a file for reading; nil if it does not exist or cannot be opened.
  init?(_ path: String) {
    let opened = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    guard opened >= 0 else { return nil }
    descriptor = Descriptor(owning: opened)
    var facts = stat()
    size = fstat(opened, &facts) == 0 && facts.st_mode & S_IFMT == S_IFREG ? Int(facts.st_size) : 0
  }

  /// Fills `bytes` from `offset`, with zeros beyond the end. Returns false if nothing could be read.
  func read(into bytes: inout [UInt8], at offset: Int) -> Bool {
    let byteCount = bytes.count
    var filled = 0
    bytes.withUnsafeMutableBytes { buffer in
      while filled < byteCount {
        let count = pread(
          descriptor.raw, buffer.baseAddress?.advanced(by: filled), byteCount - filled, offset + filled)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else {
          if count < 0 { unreadable += 1 }
          break
        }
        filled += count
      }
      for index in filled..<byteCount { buffer[index] = 0 }
    }
    return filled > 0
  }
}
