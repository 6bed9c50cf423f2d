import Glibc

extension FileBytes {
  /// Writes a file beside `path`, syncs it to storage and renames it. After a power failure either the old or
  /// the new file exists (fsync(2), rename(2)). The directory of `path` must exist. The umask limits `mode`. A draft that
  /// an interruption left is removed, whatever its mode.
  public static func replace(_ path: String, with bytes: [UInt8], mode: mode_t = 0o640) throws(SystemError) {
    let draft = "\(path).new"
    unlink(draft)
    do throws(SystemError) {
      let file = Descriptor(
        owning: try check(
          "open", on: draft, open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode)))
      try file.write(bytes, to: draft)
      try check("fsync", on: draft, fsync(file.raw))
      try check("rename", on: path, rename(draft, path))
    } catch {
      unlink(draft)
      throw error
    }
    let directory = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    let folder = Descriptor(
      owning: try check("open", on: directory, open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)))
    // Some file systems do not support fsync of a directory; the file itself is safe then.
    if fsync(folder.raw) != 0, errno != EINVAL {
      throw SystemError(call: "fsync", subject: directory, number: errno)
    }
  }
}
