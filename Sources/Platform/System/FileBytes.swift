import Glibc

/// Functions for whole small files.
public enum FileBytes {
  /// Reads a regular file of at most `limit` bytes. Never waits for a writer or a device.
  ///
  /// Throws ``FileFailure/notRegular(path:kind:)`` for any other type of file, EFBIG for a larger file,
  /// otherwise the error of open(2) or read(2). The reported size does not count: every attribute of sysfs
  /// reports a page (Documentation/filesystems/sysfs.rst).
  public static func read(_ path: String, limit: Int) throws(FileFailure) -> [UInt8] {
    let file = try openRegular(path)
    var bytes: [UInt8] = []
    while true {
      let count = withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: 1) { chunk in
        let count = Glibc.read(file.raw, chunk.baseAddress, chunk.count)
        if count > 0 { bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: chunk[..<count])) }
        return count
      }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw .system(SystemError(call: "read", subject: path, number: errno)) }
      if count == 0 { return bytes }
      guard bytes.count <= limit else {
        throw .system(SystemError(call: "read", subject: path, number: EFBIG))
      }
    }
  }

  /// Throws if the path is no regular file, without opening it.
  public static func checkRegular(_ path: String) throws(FileFailure) {
    var status = stat()
    guard stat(path, &status) == 0 else {
      throw .system(SystemError(call: "stat", subject: path, number: errno))
    }
    if let kind = FileFailure.Kind(mode: status.st_mode) { throw .notRegular(path: path, kind: kind) }
  }

  private static func openRegular(_ path: String) throws(FileFailure) -> Descriptor {
    let raw = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    guard raw >= 0 else { throw .system(SystemError(call: "open", subject: path, number: errno)) }
    let file = Descriptor(owning: raw)
    var status = stat()
    guard fstat(raw, &status) == 0 else {
      throw .system(SystemError(call: "fstat", subject: path, number: errno))
    }
    if let kind = FileFailure.Kind(mode: status.st_mode) { throw .notRegular(path: path, kind: kind) }
    return file
  }

  /// Creates a directory and its parents; an existing one is no error.
  public static func makeDirectory(_ path: String, mode: mode_t = 0o755) throws(SystemError) {
    var built = path.hasPrefix("/") ? "/" : ""
    for part in path.split(separator: "/") {
      built += built.isEmpty || built.hasSuffix("/") ? String(part) : "/\(part)"
      if mkdir(built, mode) != 0, errno != EEXIST {
        throw SystemError(call: "mkdir", subject: built, number: errno)
      }
    }
  }
}
