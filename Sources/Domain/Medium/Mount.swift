/// A mount, from /proc/self/mountinfo (proc(5)).
public struct Mount: Equatable, Sendable {
  public var point: String
  public var fileSystem: String
  public var source: String
  /// The numbers of the device, as in `179:2`.
  public var device: String
  /// The options of the mount and of the file system.
  public var options: Set<String>

  public init(point: String, fileSystem: String, source: String, device: String, options: Set<String>) {
    (self.point, self.fileSystem, self.source) = (point, fileSystem, source)
    (self.device, self.options) = (device, options)
  }

  /// Reads the lines of mountinfo. Lines that are not in its format are ignored.
  public static func all(_ text: String) -> [Mount] {
    text.split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ").map(String.init)
      guard let dash = words.firstIndex(of: "-"), dash >= 6, words.count > dash + 3 else { return nil }
      let options = words[5].split(separator: ",") + words[dash + 3].split(separator: ",")
      return Mount(
        point: unescaped(words[4]), fileSystem: words[dash + 1], source: unescaped(words[dash + 2]),
        device: words[2], options: Set(options.map(String.init)))
    }
  }

  /// Returns the mount that holds a path: the last one with the longest matching mount point.
  public static func holding(_ path: String, of mounts: [Mount]) -> Mount? {
    var best: Mount?
    for mount in mounts {
      let isAbove = mount.point == "/" || path == mount.point || path.hasPrefix("\(mount.point)/")
      if isAbove, mount.point.count >= best?.point.count ?? 0 { best = mount }
    }
    return best
  }

  /// Replaces the octal escapes of the kernel, as in `\040` for a space.
  private static func unescaped(_ text: String) -> String {
    guard text.contains("\\") else { return text }
    var bytes: [UInt8] = []
    var remainder = Array(text.utf8)[...]
    while let byte = remainder.popFirst() {
      if byte == UInt8(ascii: "\\"), remainder.count >= 3,
        let code = UInt8(String(decoding: remainder.prefix(3), as: UTF8.self), radix: 8)
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
