import Settings

/// The bytes of a config.txt, with the block of lines that belongs to Outrider.
///
/// The block begins with `[all]`, so that its lines apply to every model, and stands between two comments. Outside of it
/// no byte changes. Sections and the lengths of lines: Raspberry Pi documentation, config.txt.
public struct BootConfiguration: Equatable, Sendable {
  public let bytes: [UInt8]
  private let lines: [Line]
  private let blocks: [Block]

  /// Size of a file that is certainly no config.txt, in bytes.
  public static let largest = 65_536
  /// Size from which on a Raspberry Pi 5 may not start, in bytes (raspberrypi/firmware#1848).
  public static let doubtfulSize = 16_384

  /// Reads the bytes of a file. Throws if the text is damaged, or if one of the comments of a block lacks the other.
  public init(_ bytes: [UInt8]) throws(BootConfigurationError) {
    self.bytes = bytes
    lines = Self.lines(of: bytes)
    if let index = lines.firstIndex(where: { $0.text.utf8.contains(0) }) {
      throw .damaged(line: index + 1)
    }
    blocks = try Self.blocks(in: lines, of: bytes)
  }

  /// The name of the board whose block the file contains; nil without a block.
  public var board: String? { blocks.first?.board }

  /// The file with a block of those of `expected` that do not take effect already; without a block if all do.
  ///
  /// A block that exists is replaced at its place, otherwise the block is added at the end. Throws if a line is too long.
  public func applying(_ expected: [String], board: String) throws(BootConfigurationError) -> [UInt8] {
    let required = expected.filter { !isInEffect($0, countingBlocks: false) }
    guard !required.isEmpty else { return removingBlock() }
    for line in required where line.utf8.count > SystemSettings.longestLine {
      throw .tooLong(text: line, limit: SystemSettings.longestLine)
    }
    guard let first = blocks.first else {
      let isOpen = !bytes.isEmpty && bytes.last != 0x0A
      var result = bytes
      if isOpen { result += lineEnd }
      result += Self.block(required, board, lineEnd, afterOpenLine: isOpen)
      return result
    }
    var result = Array(bytes.prefix(first.bytes.lowerBound))
    result += Self.block(required, board, first.lineEnd, afterOpenLine: first.isAfterOpenLine)
    result += withoutBlocks(from: first.bytes.upperBound)
    return result
  }

  /// The file without the block: the bytes before the block was added, unless the file was edited since.
  ///
  /// The line `[all]` stays if lines follow the block that would otherwise be part of the section before it.
  public func removingBlock() -> [UInt8] { withoutBlocks(from: 0) }

  /// True if the line applies to every model, and no later line sets the same key to another value.
  public func isInEffect(_ expected: String) -> Bool { isInEffect(expected, countingBlocks: true) }

  /// The value of the last line with this key in any section; nil without one.
  public func lastValue(of key: String) -> String? {
    lines.compactMap { $0.setting }.last { $0.key == key }?.value
  }

  // MARK: Lines

  private struct Line: Equatable, Sendable {
    /// The text without white space at its end.
    var text: String
    /// The text with its line end.
    var bytes: Range<Int>

    /// The name of a section, as in `all` or `pi4`; nil for any other line.
    var section: Substring? { text.hasPrefix("[") && text.hasSuffix("]") ? text.dropFirst().dropLast() : nil }
    var isComment: Bool { text.isEmpty || text.hasPrefix("#") }

    /// Key and value; nil for comments and sections.
    var setting: (key: String, value: String)? {
      guard !isComment, section == nil, let sign = text.firstIndex(of: "=") else { return nil }
      return (String(text[..<sign]), String(text[text.index(after: sign)...]))
    }
  }

  private static func lines(of bytes: [UInt8]) -> [Line] {
    var lines: [Line] = []
    var start = 0
    while start < bytes.count {
      let end = bytes[start...].firstIndex(of: 0x0A).map { $0 + 1 } ?? bytes.count
      var last = end
      while last > start, [0x20, 0x09, 0x0D, 0x0A].contains(bytes[last - 1]) { last -= 1 }
      lines.append(Line(text: String(decoding: bytes[start..<last], as: UTF8.self), bytes: start..<end))
      start = end
    }
    return lines
  }

  /// The line end of the file: that of its first line.
  private var lineEnd: [UInt8] {
    guard let end = bytes.firstIndex(of: 0x0A), end > 0, bytes[end - 1] == 0x0D else { return [0x0A] }
    return [0x0D, 0x0A]
  }

  // MARK: Blocks

  private struct Block: Equatable, Sendable {
    var board: String
    /// The lines from the first comment to the last, as indices.
    var lines: ClosedRange<Int>
    /// From `[all]` before the first comment, if it is there, to the end of the last.
    var bytes: Range<Int>
    var hasSection: Bool
    /// True if the line before had no line end, and the block's line end was added.
    var isAfterOpenLine: Bool
    var lineEnd: [UInt8]
  }

  private static let begin = "# outrider: begin ("
  private static let end = "# outrider: end"
  private static let openLine = "# outrider: the line before this block had no line end"

  private static func blocks(in lines: [Line], of bytes: [UInt8]) throws(BootConfigurationError) -> [Block] {
    var blocks: [Block] = []
    var first: Int?
    for (index, line) in lines.enumerated() {
      if line.text.hasPrefix(begin) {
        if let first { throw .unpaired(line: first + 1, text: lines[first].text) }
        first = index
      } else if line.text == end {
        guard let begun = first else { throw .unpaired(line: index + 1, text: line.text) }
        let hasSection = begun > 0 && lines[begun - 1].section == "all"
        let start = lines[hasSection ? begun - 1 : begun].bytes.lowerBound
        let name = lines[begun].text.dropFirst(begin.count)
        blocks.append(
          Block(
            board: String(name.hasSuffix(")") ? name.dropLast() : name), lines: begun...index,
            bytes: start..<line.bytes.upperBound, hasSection: hasSection,
            isAfterOpenLine: lines[begun...index].contains { $0.text == openLine },
            lineEnd: bytes[lines[begun].bytes].suffix(2).elementsEqual([0x0D, 0x0A]) ? [0x0D, 0x0A] : [0x0A]))
        first = nil
      }
    }
    if let first { throw .unpaired(line: first + 1, text: lines[first].text) }
    return blocks
  }

  private static func block(
    _ lines: [String], _ board: String, _ lineEnd: [UInt8], afterOpenLine: Bool
  ) -> [UInt8] {
    let texts = ["[all]", "\(begin)\(board))"] + (afterOpenLine ? [openLine] : []) + lines + [end]
    return texts.flatMap { Array($0.utf8) + lineEnd }
  }

  /// The bytes from an index on without blocks.
  private func withoutBlocks(from start: Int) -> [UInt8] {
    var result: [UInt8] = []
    var next = start
    for block in blocks where block.bytes.lowerBound >= start {
      var before = bytes[next..<block.bytes.lowerBound]
      let isLast = block.bytes.upperBound == bytes.count
      if block.isAfterOpenLine, isLast, before.suffix(block.lineEnd.count).elementsEqual(block.lineEnd) {
        before.removeLast(block.lineEnd.count)
      }
      result += before
      if block.hasSection, isSectionRequired(after: block) {
        result += bytes[lines[block.lines.lowerBound - 1].bytes]
      }
      next = block.bytes.upperBound
    }
    return result + bytes[next...]
  }

  /// True if lines after the block would be part of another section without its `[all]`.
  private func isSectionRequired(after block: Block) -> Bool {
    let remainder = lines[(block.lines.upperBound + 1)...].prefix { $0.section == nil }
    guard remainder.contains(where: { !$0.isComment }) else { return false }
    let sections = lines[..<block.lines.lowerBound].dropLast().compactMap(\.section)
    return sections.last.map { $0 != "all" } ?? false
  }

  // MARK: Effect

  /// A key with its value; several for one line of device tree parameters.
  private struct Item: Equatable {
    var key: String
    var value: String
  }

  private static func items(of line: Line) -> [Item] {
    guard let (key, value) = line.setting else { return [] }
    guard key == "dtparam" else { return [Item(key: key, value: value)] }
    return value.split(separator: ",").map { part in
      let words = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      // A parameter without a value is on.
      return Item(key: "dtparam=\(words[0])", value: words.count > 1 ? String(words[1]) : "on")
    }
  }

  private func isInEffect(_ expected: String, countingBlocks: Bool) -> Bool {
    let items = Self.items(of: Line(text: expected, bytes: 0..<0))
    guard !items.isEmpty else { return false }
    return items.allSatisfy { isInEffect($0, countingBlocks: countingBlocks) }
  }

  private func isInEffect(_ item: Item, countingBlocks: Bool) -> Bool {
    var isForAll = true
    var isSet = false
    for (index, line) in lines.enumerated() {
      if let section = line.section {
        isForAll = section == "all"
      } else if countingBlocks || !blocks.contains(where: { $0.lines.contains(index) }) {
        for found in Self.items(of: line) where found.key == item.key {
          if found == item {
            isSet = isSet || isForAll
          } else if item.key != "dtoverlay" {
            isSet = false
          }
        }
      }
    }
    return isSet
  }
}

/// The reason why a config.txt is not changed.
public enum BootConfigurationError: Error, Equatable, Sendable {
  /// The line, counted from 1, contains a NUL byte.
  case damaged(line: Int)
  /// The comment at the begin or the end of a block stands alone; the line is counted from 1.
  case unpaired(line: Int, text: String)
  case tooLong(text: String, limit: Int)
}

extension BootConfigurationError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .damaged(let line):
      "line \(line) contains a NUL byte, so the file is damaged; restore it from a copy, or write the card again"
    case .unpaired(let line, let text):
      "line \(line): \"\(text)\" without its counterpart; remove the rest of this block by hand"
    case .tooLong(let text, let limit):
      "the line \"\(text)\" has \(text.utf8.count) bytes, and the firmware cuts lines at \(limit); "
        + "shorten it in the board file"
    }
  }
}
