import Glibc
import SystemLoop

/// Lines to be added to a file that is a frame of fixed text around lines, one a record.
///
/// The file is read, completed, written beside itself, forced to the medium and renamed: after a power cut there is the
/// old file or the new one. Lines that it has already are not added again.
public struct LineFile: Equatable, Sendable {
  public var path: String
  public var head: [UInt8]
  public var separator: [UInt8]
  public var tail: [UInt8]
  /// What every line of a record begins with; other lines of an existing file are part of the frame.
  public var mark: [UInt8]
  public var lines: [[UInt8]]

  /// Larger files are not read; they would be no hour of any receiver.
  static let limit = 256 << 20

  public init(
    path: String, head: [UInt8], separator: [UInt8], tail: [UInt8], mark: [UInt8], lines: [[UInt8]]
  ) {
    self.path = path
    self.head = head
    self.separator = separator
    self.tail = tail
    self.mark = mark
    self.lines = lines
  }

  /// Completes the file; when it throws, the file is as before.
  func merge() throws(FileFailure) {
    var present: [ArraySlice<UInt8>] = []
    let old = try existing()
    for line in old.split(separator: UInt8(ascii: "\n")) where line.starts(with: mark) {
      let isSeparated = !separator.isEmpty && line.suffix(separator.count).elementsEqual(separator)
      present.append(isSeparated ? line.dropLast(separator.count) : line)
    }
    var known = Set(present)
    let fresh = lines.map { $0[...] }.filter { known.insert($0).inserted }
    guard !fresh.isEmpty || old.isEmpty else { return }
    var text = head
    text.reserveCapacity(old.count + lines.reduce(head.count + tail.count) { $0 + $1.count + 2 })
    let all = present + fresh
    for (index, line) in all.enumerated() {
      text += line
      if index < all.count - 1 { text += separator }
      text.append(UInt8(ascii: "\n"))
    }
    text += tail
    do throws(SystemError) {
      if let slash = path.lastIndex(of: "/") {
        try FileBytes.makeDirectory(String(path[..<slash]), mode: 0o750)
      }
      try FileBytes.replace(path, with: text)
    } catch {
      throw .system(error)
    }
  }

  private func existing() throws(FileFailure) -> [UInt8] {
    do throws(FileFailure) {
      return try FileBytes.read(path, limit: Self.limit)
    } catch {
      if error.number == ENOENT { return [] }
      throw error
    }
  }
}
