import Glibc

extension FileBytes {
  /// Writes a file beside `path`, syncs it to storage and renames it. After a power failure either the old or
  /// the new file exists (fsync(2), rename(2)), also on FAT. The directory of `path` must exist. The umask
  /// limits `mode`, unless the mode has no permission for other users.
  /// A draft that an interruption left is removed, whatever its mode.
  public static func replace(_ path: String, with bytes: [UInt8], mode: mode_t = 0o640) throws(SystemError) {
    // FAT frees the clusters of the old file when it is closed. Until then, its entry must have been replaced on the
    // medium: an entry whose clusters are free is an empty file.
    let former = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    defer { if former >= 0 { close(former) } }
    let file = try moved(to: path, bytes, mode)
    // FAT keeps size and first cluster in the directory entry, and writes them with the file.
    try check("fsync", on: path, fsync(file.raw))
    let directory = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    let folder = Descriptor(
      owning: try check("open", on: directory, open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)))
    // Some file systems do not support fsync of a directory; the file itself is safe then.
    if fsync(folder.raw) != 0, errno != EINVAL {
      throw SystemError(call: "fsync", subject: directory, number: errno)
    }
  }

  /// Writes and syncs a draft and renames it to `path`. Returns the open file.
  private static func moved(
    to path: String, _ bytes: [UInt8], _ mode: mode_t
  ) throws(SystemError) -> Descriptor {
    let draft = "\(path).new"
    unlink(draft)
    do throws(SystemError) {
      let file = Descriptor(
        owning: try check(
          "open", on: draft, open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode)))
      if mode & 0o007 == 0 { _ = fchmod(file.raw, mode) }
      try file.write(bytes, to: draft)
      try check("fsync", on: draft, fsync(file.raw))
      try check("rename", on: path, rename(draft, path))
      return file
    } catch {
      unlink(draft)
      throw error
    }
  }
}
