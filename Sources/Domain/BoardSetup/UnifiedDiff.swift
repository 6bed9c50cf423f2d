/// The difference of two texts in the unified format of diff(1), for people.
public struct UnifiedDiff: Equatable, Sendable {
  /// The lines of the difference, without a header; empty for equal texts.
  public let lines: [String]

  private static let context = 3
  /// Number of comparisons above which the middle of the texts is shown as replaced.
  private static let mostComparisons = 1_000_000

  public init(_ old: [UInt8], _ new: [UInt8]) {
    let (old, new) = (Self.lines(of: old), Self.lines(of: new))
    lines = Self.hunks(Self.edits(old, new))
  }

  private enum Edit: Equatable {
    case same(String), removed(String), added(String)

    var text: String {
      switch self {
      case .same(let line): " \(line)"
      case .removed(let line): "-\(line)"
      case .added(let line): "+\(line)"
      }
    }

    var isSame: Bool { if case .same = self { true } else { false } }
    var isOld: Bool { if case .added = self { false } else { true } }
    var isNew: Bool { if case .removed = self { false } else { true } }
  }

  /// The lines with their ends, because a changed line end is a difference.
  private static func lines(of bytes: [UInt8]) -> [ArraySlice<UInt8>] {
    var lines: [ArraySlice<UInt8>] = []
    var start = 0
    while start < bytes.count {
      let end = bytes[start...].firstIndex(of: 0x0A).map { $0 + 1 } ?? bytes.count
      lines.append(bytes[start..<end])
      start = end
    }
    return lines
  }

  private static func edits(_ old: [ArraySlice<UInt8>], _ new: [ArraySlice<UInt8>]) -> [Edit] {
    var first = 0
    while first < old.count, first < new.count, old[first] == new[first] { first += 1 }
    var tail = 0
    while tail < old.count - first, tail < new.count - first,
      old[old.count - 1 - tail] == new[new.count - 1 - tail]
    { tail += 1 }
    let middle = edits(of: old[first..<old.count - tail], new[first..<new.count - tail])
    return old[..<first].map { .same(shown($0)) } + middle + old.suffix(tail).map { .same(shown($0)) }
  }

  /// The edits by the longest common subsequence.
  private static func edits(of old: ArraySlice<ArraySlice<UInt8>>, _ new: ArraySlice<ArraySlice<UInt8>>)
    -> [Edit]
  {
    let (old, new) = (Array(old), Array(new))
    guard old.count < mostComparisons / max(new.count, 1) else {
      return old.map { .removed(shown($0)) } + new.map { .added(shown($0)) }
    }
    var lengths = [[Int]](repeating: [Int](repeating: 0, count: new.count + 1), count: old.count + 1)
    for row in old.indices.reversed() {
      for column in new.indices.reversed() {
        lengths[row][column] =
          old[row] == new[column]
          ? lengths[row + 1][column + 1] + 1 : max(lengths[row + 1][column], lengths[row][column + 1])
      }
    }
    var edits: [Edit] = []
    var (row, column) = (0, 0)
    while row < old.count || column < new.count {
      if row < old.count, column < new.count, old[row] == new[column] {
        edits.append(.same(shown(old[row])))
        (row, column) = (row + 1, column + 1)
      } else if column == new.count || row < old.count && lengths[row + 1][column] >= lengths[row][column + 1]
      {
        edits.append(.removed(shown(old[row])))
        row += 1
      } else {
        edits.append(.added(shown(new[column])))
        column += 1
      }
    }
    return edits
  }

  /// The text of a line: without its end, control characters replaced, a missing end marked.
  private static func shown(_ line: ArraySlice<UInt8>) -> String {
    let isWhole = line.last == 0x0A
    var content = isWhole ? line.dropLast() : line
    if isWhole, content.last == 0x0D { content = content.dropLast() }
    let text = String(
      String.UnicodeScalarView(
        String(decoding: content, as: UTF8.self).unicodeScalars.map {
          $0.properties.generalCategory == .control && $0 != "\t" ? "\u{FFFD}" : $0
        }))
    return isWhole ? text : "\(text)\n\\ No newline at end of file"
  }

  private static func hunks(_ edits: [Edit]) -> [String] {
    var lines: [String] = []
    var index = 0
    while let change = edits[index...].firstIndex(where: { !$0.isSame }) {
      let start = max(index, change - context)
      var end = change
      var gap = 0
      for next in change..<edits.count {
        gap = edits[next].isSame ? gap + 1 : 0
        if gap > 2 * context { break }
        if gap == 0 { end = next + 1 }
      }
      end = min(end + context, edits.count)
      let hunk = edits[start..<end]
      let before = (old: edits[..<start].filter(\.isOld).count, new: edits[..<start].filter(\.isNew).count)
      lines.append(
        "@@ -\(range(before.old, hunk.filter(\.isOld).count)) +\(range(before.new, hunk.filter(\.isNew).count)) @@"
      )
      lines += hunk.flatMap {
        $0.text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
      }
      index = end
    }
    return lines
  }

  /// The range of a hunk; an empty one is named by the line before it.
  private static func range(_ before: Int, _ count: Int) -> String {
    count == 1 ? "\(before + 1)" : "\(count == 0 ? before : before + 1),\(count)"
  }
}
