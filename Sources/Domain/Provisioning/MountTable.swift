/// The mounted file systems, as `/proc/self/mountinfo` lists them (proc(5)).
public struct MountTable: Equatable, Sendable {
  /// The file system of a path.
  public struct FileSystem: Equatable, Sendable {
    public var type: String
    /// True if the file system itself is read-only. A service's own view, as with `ProtectSystem=`, does not count.
    public var isReadOnly: Bool

    /// True if a file written here is lost at the next start, or cannot be written.
    public var losesFiles: Bool { isReadOnly || ["overlay", "tmpfs", "ramfs"].contains(type) }

    /// The reason for ``losesFiles``, as text after "because /etc is".
    public var lossReason: String {
      isReadOnly ? "read-only" : type == "overlay" ? "an overlay" : "in memory"
    }
  }

  private var mounts: [(point: String, system: FileSystem)] = []

  /// Reads the table. Lines of another format are skipped.
  public init(mountinfo bytes: [UInt8]) {
    for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
      // ID, parent, device, root, mount point, options, any number of tags, "-", type, source, super options
      let fields = line.split(separator: " ")
      guard let dash = fields.dropFirst(6).firstIndex(of: "-"), fields.count > dash + 3 else { continue }
      let options = fields[dash + 3].split(separator: ",")
      mounts.append(
        (
          Self.unescaped(fields[4]),
          FileSystem(type: String(fields[dash + 1]), isReadOnly: options.contains("ro"))
        ))
    }
  }

  public static func == (a: Self, b: Self) -> Bool {
    a.mounts.elementsEqual(b.mounts) { $0 == $1 }
  }

  /// The file system of an absolute path; nil if unknown. A later mount covers an earlier one on the same directory.
  public func fileSystem(of path: String) -> FileSystem? {
    var best: (point: String, system: FileSystem)?
    for mount in mounts {
      let prefix = mount.point == "/" ? "/" : mount.point + "/"
      guard path == mount.point || path.hasPrefix(prefix) else { continue }
      if mount.point.utf8.count >= best?.point.utf8.count ?? 0 { best = mount }
    }
    return best?.system
  }

  /// Spaces, tabs, line ends and backslashes are written as a backslash and three octal digits.
  private static func unescaped(_ field: Substring) -> String {
    var bytes: [UInt8] = []
    var remainder = Array(field.utf8)[...]
    while let byte = remainder.popFirst() {
      let digits = remainder.prefix(3)
      if byte == UInt8(ascii: "\\"), digits.count == 3,
        let code = UInt8(String(decoding: digits, as: UTF8.self), radix: 8)
      {
        bytes.append(code)
        remainder = remainder.dropFirst(3)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
