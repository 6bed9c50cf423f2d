import Glibc

/// Whole small files.
public enum FileBytes {
  /// Reads a file of at most `limit` bytes. Throws EFBIG for a larger one, else what open(2) or read(2) say.
  public static func read(_ path: String, limit: Int) throws(SystemError) -> [UInt8] {
    let file = Descriptor(owning: try check("open", on: path, open(path, O_RDONLY | O_CLOEXEC)))
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 16_384)
    while true {
      let count = Glibc.read(file.raw, &chunk, chunk.count)
      if count < 0, errno == EINTR { continue }
      try check("read", on: path, count)
      if count == 0 { return bytes }
      guard bytes.count + count <= limit else {
        throw SystemError(call: "read", subject: path, number: EFBIG)
      }
      bytes += chunk[..<count]
    }
  }

  /// Makes a directory and those above it; an existing one is fine.
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
