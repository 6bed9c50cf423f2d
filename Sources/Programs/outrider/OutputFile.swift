import Glibc
import System

/// A file that appears under its name complete or not at all.
///
/// It has no name until it is finished, so nothing remains of it after SIGKILL. On a file system without nameless files
/// (O_TMPFILE of open(2)) it has a temporary name in the same directory.
final class OutputFile {
  /// A nameless file in a directory: the value of the kernel's interface, which Swift does not import from its C macro.
  private static let nameless = 0o20_000_000 | O_DIRECTORY

  private let path: String
  private let folder: String
  private let file: Descriptor
  /// The temporary name; nil while the file has none.
  private var draft: String?

  init(path: String) throws(SystemError) {
    self.path = path
    folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    let nameless = open(folder.isEmpty ? "." : folder, O_WRONLY | Self.nameless | O_CLOEXEC, 0o666)
    guard nameless < 0 else {
      file = Descriptor(owning: nameless)
      return
    }
    let folder = folder
    var draft = ""
    let descriptor = Self.withFreeName(in: folder) { name in
      draft = name
      return open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    }
    file = Descriptor(owning: try check("open", on: draft, descriptor))
    self.draft = draft
  }

  deinit {
    if let draft { unlink(draft) }
  }

  /// Calls `use` with temporary names until it does not fail with EEXIST.
  private static func withFreeName(in folder: String, _ use: (String) -> Int32) -> Int32 {
    var result: Int32 = -1
    for number in 0..<100 {
      result = use("\(folder).outrider-\(getpid())-\(number)")
      if result >= 0 || errno != EEXIST { break }
    }
    return result
  }

  func write(_ bytes: [UInt8]) throws(SystemError) { try file.write(bytes, to: draft ?? path) }

  func finish() throws(SystemError) {
    if draft == nil {
      guard link(to: path) != 0 else { return }
      // A link replaces no file, a renamed one does.
      var linked = ""
      let result =
        errno != EEXIST
        ? -1
        : Self.withFreeName(in: folder) { name in
          linked = name
          return link(to: name)
        }
      try check("linkat", on: path, result)
      draft = linked
    }
    guard let draft else { return }
    try check("rename", on: path, rename(draft, path))
    self.draft = nil
  }

  /// Gives the nameless file a name, by its descriptor (linkat(2)).
  private func link(to name: String) -> Int32 {
    linkat(AT_FDCWD, "/proc/self/fd/\(file.raw)", AT_FDCWD, name, AT_SYMLINK_FOLLOW)
  }
}
