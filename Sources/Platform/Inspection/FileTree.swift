import Doctor
import Glibc
import System

/// The files of a system below a root directory. Paths are those of the system; tests read them below another root.
public struct FileTree: Sendable {
  private let root: String
  /// The largest file that is read.
  private static let limit = 4 << 20
  /// The largest number of links in a path (path_resolution(7)).
  private static let mostLinks = 40

  /// Creates the tree; an empty `root` is the system itself.
  public init(root: String = "") { self.root = root }

  /// Returns the path of a file for a system call.
  public func systemPath(_ path: String) -> String { root + path }

  /// Returns the text of a regular file; nil if it is missing, unreadable or too large. Invalid UTF-8 is replaced.
  public func text(_ path: String) -> String? {
    guard let bytes = try? FileBytes.read(systemPath(path), limit: Self.limit) else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Returns the first line of a small file without surrounding white space and zero bytes.
  public func line(_ path: String) -> String? {
    guard let text = text(path) else { return nil }
    let line = text.prefix { $0 != "\n" }.filter { $0 != "\0" }
    return String(line.trimmed)
  }

  /// Returns the first line of a file as a whole number.
  public func integer(_ path: String) -> Int64? { line(path).flatMap { Int64($0) } }

  /// Returns the names in a directory, sorted; empty if it cannot be read.
  public func names(_ path: String) -> [String] { list(path).value ?? [] }

  /// Returns the names in a directory, sorted; hidden without permission.
  public func list(_ path: String) -> Fact<[String]> {
    guard let stream = opendir(systemPath(path)) else {
      return errno == EACCES || errno == EPERM ? .hidden("\(path): this user has no permission") : .absent
    }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return .known(names.sorted())
  }

  /// Returns the target of a symbolic link as written; nil for anything else.
  public func link(_ path: String) -> String? {
    var target = [CChar](repeating: 0, count: Int(PATH_MAX))
    let length = readlink(systemPath(path), &target, target.count)
    guard length > 0 else { return nil }
    return String(decoding: target.prefix(length).map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// Returns owner, mode and time of a file behind all links; nil if it does not exist or cannot be seen.
  public func node(_ path: String) -> FileNode? {
    guard let path = resolved(path) else { return nil }
    var status = stat()
    guard lstat(systemPath(path), &status) == 0 else { return nil }
    return FileNode(
      mode: status.st_mode & 0o7777, user: status.st_uid, group: status.st_gid,
      modified: Int64(status.st_mtim.tv_sec))
  }

  public func exists(_ path: String) -> Bool { node(path) != nil }

  /// Returns the path behind all links of the tree; nil if it does not exist or has too many links.
  public func resolved(_ path: String) -> String? {
    var remainder = path.split(separator: "/").map(String.init)[...]
    var done: [String] = []
    var links = 0
    while let part = remainder.popFirst() {
      if part == "." { continue }
      if part == ".." {
        _ = done.popLast()
        continue
      }
      let here = "/" + (done + [part]).joined(separator: "/")
      guard let target = link(here) else {
        done.append(part)
        continue
      }
      links += 1
      guard links <= Self.mostLinks else { return nil }
      if target.hasPrefix("/") { done = [] }
      remainder = (target.split(separator: "/").map(String.init) + remainder)[...]
    }
    let result = "/" + done.joined(separator: "/")
    var status = stat()
    return lstat(systemPath(result), &status) == 0 ? result : nil
  }
}

extension StringProtocol {
  /// The text without white space at both ends.
  var trimmed: SubSequence {
    var remainder = self[startIndex..<endIndex]
    while let first = remainder.first, first.isWhitespace { remainder = remainder.dropFirst() }
    while let last = remainder.last, last.isWhitespace { remainder = remainder.dropLast() }
    return remainder
  }
}
