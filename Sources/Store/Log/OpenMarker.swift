import Glibc
import SystemLoop

/// A file beside the log, there while a logger has it open: it holds the id of the last record at the opening,
/// and the boot.
///
/// The write-ahead log says itself that the log is open. The marker shows that it was removed. The file is never synced,
/// for that would cost each start: a power cut may take it, but takes no write-ahead log. An orderly close removes it; if
/// a power cut brings it back, the log holds later records than it names.
struct OpenMarker {
  struct Content: Equatable {
    var lastID: Int64
    var bootID: String
  }

  let path: String

  init(database: String) { path = database + ".open" }

  /// What the file holds; nil without one, and for one that was not written to its end.
  var content: Content? {
    let opened = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard opened >= 0 else { return nil }
    let file = Descriptor(owning: opened)
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = read(file.raw, &bytes, bytes.count)
    guard count > 1, bytes[count - 1] == UInt8(ascii: "\n") else { return nil }
    let words = String(decoding: bytes[..<(count - 1)], as: UTF8.self)
      .split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
    guard words.count == 2, let lastID = Int64(words[0]) else { return nil }
    return Content(lastID: lastID, bootID: String(words[1]))
  }

  /// A failure costs only the evidence.
  func write(_ content: Content) {
    let opened = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o640)
    guard opened >= 0 else { return }
    try? Descriptor(owning: opened).write(Array("\(content.lastID) \(content.bootID)\n".utf8), to: path)
  }

  func remove() { unlink(path) }
}
