import Glibc
import System

/// The lines to add to a file, which consists of a fixed head, one line per record, and a fixed tail.
///
/// The file is read, completed, written under a temporary name, synced and renamed: after a power cut either the old or
/// the new file exists. Lines that the file already has are not added again. A truncated last line is dropped.
///
/// A file with other content belongs to another program: it is left unchanged, and a number is appended to the name.
public struct LineFile: Equatable, Sendable {
  public var path: String
  public var head: [UInt8]
  /// Heads that earlier versions wrote.
  public var olderHeads: [[UInt8]] = []
  /// Lines before the others, followed by ``bridge``; nil if there is no such section.
  public var early: Section?
  public var bridge: [UInt8] = []
  public var separator: [UInt8]
  public var tail: [UInt8]
  public var section: Section
  /// Text between two lines that do not belong together, without a line end.
  public var interruption: [UInt8] = []
  /// The indices of the lines that ``interruption`` precedes, if another line is before them.
  public var interrupted: Set<Int> = []

  /// Lines of one kind.
  public struct Section: Equatable, Sendable {
    /// The prefix of every line.
    public var mark: [UInt8]
    /// The suffix of every line before its separator; a line without it is truncated.
    public var end: [UInt8]
    public var lines: [[UInt8]]

    public init(mark: [UInt8], end: [UInt8], lines: [[UInt8]]) {
      self.mark = mark
      self.end = end
      self.lines = lines
    }
  }

  /// Largest file in bytes that is read; the records of one hour are smaller.
  static let limit = 256 << 20
  /// Number of names that are tried.
  static let mostNames = 100

  public init(path: String, head: [UInt8], separator: [UInt8], tail: [UInt8], section: Section) {
    self.path = path
    self.head = head
    self.separator = separator
    self.tail = tail
    self.section = section
  }

  /// Adds the lines to the file and returns the number of bytes written; if it throws, the file is unchanged.
  @discardableResult
  func merge() throws(FileFailure) -> Int {
    for number in 1...Self.mostNames {
      let path = name(number)
      guard let old = try existing(path), let present = contents(of: old) else { continue }
      let text = merged(with: present)
      guard text != old else { return 0 }
      do throws(SystemError) {
        if let slash = path.lastIndex(of: "/") {
          try FileBytes.makeDirectory(String(path[..<slash]), mode: 0o750)
        }
        try FileBytes.replace(path, with: text)
      } catch {
        throw .system(error)
      }
      return text.count
    }
    throw .system(
      SystemError(
        call: "open", subject: "\(path): this name and all numbered ones belong to other files",
        number: EEXIST))
  }

  /// The name with a number: `dir/hour.gpx`, `dir/hour-2.gpx` and so on.
  private func name(_ number: Int) -> String {
    guard number > 1 else { return path }
    guard let dot = path.lastIndex(of: "."), !path[dot...].contains("/") else { return "\(path)-\(number)" }
    return "\(path[..<dot])-\(number)\(path[dot...])"
  }

  private struct Line {
    var text: ArraySlice<UInt8>
    var isInterrupted: Bool
  }

  private struct Contents {
    var early: [ArraySlice<UInt8>] = []
    var lines: [Line] = []
  }

  /// The lines of a file; nil if the file belongs to another program.
  private func contents(of old: [UInt8]) -> Contents? {
    // A power cut may leave zero bytes at the end.
    let text = old[..<((old.lastIndex { $0 != 0 } ?? -1) + 1)]
    let frame = ([head, bridge, tail, interruption] + olderHeads).flatMap {
      $0.split(separator: UInt8(ascii: "\n")).map(Array.init)
    }
    let known = Set(frame)
    let rows = text.split(separator: UInt8(ascii: "\n"))
    var contents = Contents()
    var isInterrupted = false
    for (index, row) in rows.enumerated() {
      // The last row may be truncated at any byte.
      let mayBeTorn = index == rows.count - 1
      if !interruption.isEmpty, row.elementsEqual(interruption) {
        isInterrupted = true
        continue
      }
      if known.contains(Array(row)) { continue }
      let isSeparated = !separator.isEmpty && row.suffix(separator.count).elementsEqual(separator)
      let line = isSeparated ? row.dropLast(separator.count) : row
      let part = [section, early].compactMap { $0 }.first { line.starts(with: $0.mark) }
      guard let part else {
        let isTorn =
          mayBeTorn && (frame + [section.mark, early?.mark ?? []]).contains { $0.starts(with: row) }
        guard isTorn else { return nil }
        continue
      }
      guard line.count >= part.mark.count + part.end.count,
        line.suffix(part.end.count).elementsEqual(part.end), Self.isSound(line)
      else {
        guard mayBeTorn else { return nil }
        continue
      }
      if part.mark == section.mark {
        contents.lines.append(Line(text: line, isInterrupted: isInterrupted))
        isInterrupted = false
      } else {
        contents.early.append(line)
      }
    }
    return contents
  }

  /// True for text without control characters and with balanced braces outside quotes.
  private static func isSound(_ line: ArraySlice<UInt8>) -> Bool {
    var (depth, isQuoted, isEscaped) = (0, false, false)
    for byte in line {
      guard byte >= 0x20, byte != 0x7F else { return false }
      if isEscaped {
        isEscaped = false
        continue
      }
      switch byte {
      case UInt8(ascii: "\\"): isEscaped = isQuoted
      case UInt8(ascii: "\""): isQuoted.toggle()
      case UInt8(ascii: "{"): if !isQuoted { depth += 1 }
      case UInt8(ascii: "}"): if !isQuoted { depth -= 1 }
      default: break
      }
      guard depth >= 0 else { return false }
    }
    return depth == 0 && !isQuoted && String(validating: line, as: UTF8.self) != nil
  }

  private func merged(with present: Contents) -> [UInt8] {
    var known = Set(present.lines.map(\.text) + present.early)
    var front = present.early
    for line in early?.lines ?? [] where known.insert(line[...]).inserted { front.append(line[...]) }
    var all = present.lines
    // An interruption before an existing line applies to the next new line.
    var isInterrupted = false
    for (index, line) in section.lines.enumerated() {
      isInterrupted = isInterrupted || interrupted.contains(index)
      guard known.insert(line[...]).inserted else { continue }
      all.append(Line(text: line[...], isInterrupted: isInterrupted))
      isInterrupted = false
    }
    let size = (front + all.map(\.text)).reduce(head.count + bridge.count + tail.count) { $0 + $1.count + 2 }
    var text = head
    text.reserveCapacity(size)
    for line in front {
      text += line
      text.append(UInt8(ascii: "\n"))
    }
    text += bridge
    for (index, line) in all.enumerated() {
      if index > 0, line.isInterrupted, !interruption.isEmpty {
        text += interruption
        text.append(UInt8(ascii: "\n"))
      }
      text += line.text
      if index < all.count - 1 { text += separator }
      text.append(UInt8(ascii: "\n"))
    }
    text += tail
    return text
  }

  /// The content of the file, empty if it does not exist; nil for a directory, a pipe or an oversized file.
  private func existing(_ path: String) throws(FileFailure) -> [UInt8]? {
    do throws(FileFailure) {
      return try FileBytes.read(path, limit: Self.limit)
    } catch {
      if case .notRegular = error { return nil }
      switch error.number {
      case ENOENT: return []
      case EFBIG: return nil
      default: throw error
      }
    }
  }
}
