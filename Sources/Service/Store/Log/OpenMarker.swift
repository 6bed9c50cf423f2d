import Glibc
import System

/// The file `outrider.db.open`, which exists while a logger has the log open.
///
/// It holds the id of the last record at the opening, and the boot id. The write-ahead log itself shows that the log is
/// open; the marker shows that the write-ahead log was removed.
///
/// The file is never synced, because that would slow down every start. A power cut may lose it, but then the write-ahead
/// log still exists. Closing the log removes it. If a power cut restores it, the log contains later records than it names.
struct OpenMarker {
  /// The content of the file.
  struct Content: Equatable {
    var lastID: Int64
    var bootID: String
  }

  let path: String

  init(database: String) { path = database + ".open" }

  /// The content of the file; nil if it does not exist or is incomplete.
  var content: Content? {
    let opened = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard opened >= 0 else { return nil }
    let file = Descriptor(owning: opened)
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = read(file.raw, &bytes, bytes.count)
    guard count > 1, bytes[count - 1] == UInt8(ascii: "\n") else { return nil }
    let fields = String(decoding: bytes[..<(count - 1)], as: UTF8.self)
      .split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
    guard fields.count == 2, let lastID = Int64(fields[0]) else { return nil }
    return Content(lastID: lastID, bootID: String(fields[1]))
  }

  /// Writes the file. Failures are ignored: they cost only the evidence.
  func write(_ content: Content) {
    let opened = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o640)
    guard opened >= 0 else { return }
    let file = Descriptor(owning: opened)
    file.setDataMode()
    file.giveToOwner(of: String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]))
    try? file.write(Array("\(content.lastID) \(content.bootID)\n".utf8), to: path)
  }

  func remove() { unlink(path) }
}
