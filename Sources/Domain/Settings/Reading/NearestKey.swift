/// Finds suggestions for an unknown key. A wrong suggestion is worse than none.
enum NearestKey {
  /// An existing key with the words that people use for it.
  struct Candidate: Sendable {
    /// The dotted path; for a member of a list as in `destinations[].token`.
    let path: String
    fileprivate let group: String
    /// The last component, and the names that other programs use for it.
    fileprivate let words: [String]

    init(_ path: String, alsoCalled: [String] = []) {
      self.path = path
      group = NearestKey.group(of: path)
      words = [NearestKey.components(of: path).last ?? path] + alsoCalled
    }
  }

  private static let longest = 64
  /// The largest number of suggestions. If more keys match, none is likely.
  private static let most = 3

  /// The best matches, in the order of the candidates; none if no key is similar enough.
  ///
  /// The order of preference: a typing error within the group; the same letters with other dots and dashes; a typing error
  /// in the name of the group, too; the keys of the group that contain the word, with those elsewhere that end in the same
  /// word; one wrong letter in the last word.
  static func meant(by key: String, among candidates: [Candidate]) -> [String] {
    let components = components(of: key)
    guard let last = components.last, key.utf8.count <= longest else { return [] }
    let group = group(of: key)
    let siblings = candidates.filter { $0.group == group }
    if let near = correction(of: last, among: siblings) { return [near] }
    let letters = letters(of: key)
    if let same = candidates.first(where: { Self.letters(of: $0.path) == letters }) { return [same.path] }
    if siblings.isEmpty, let near = correction(of: group, among: Set(candidates.map(\.group)).sorted()),
      let key = correction(of: last, among: candidates.filter({ $0.group == near }))
    {
      return [key]
    }
    let related =
      siblings.filter { $0.words.contains { isPart(last, of: $0) } }
      + candidates.filter { $0.words.contains(last) }
    var found: [String] = []
    for candidate in related where !found.contains(candidate.path) { found.append(candidate.path) }
    if found.isEmpty, last.utf8.count > 4 {
      found = candidates.filter {
        $0.words.contains { edits(Array(last.utf8), Array($0.utf8), atMost: 1) == 1 }
      }
      .map(\.path)
    }
    return found.count > most ? [] : found
  }

  /// The word with the fewest edits; nil if none is similar enough for a typing error.
  static func correction(of word: String, among words: [String]) -> String? {
    correction(of: word, among: words.map { ($0, $0) })
  }

  /// The keys as a list for a message: `a`, `a or b`, `a, b or c`; nil for none.
  static func choice(_ keys: [String]) -> String? {
    guard let last = keys.last else { return nil }
    return keys.count == 1 ? last : "\(keys.dropLast().joined(separator: ", ")) or \(last)"
  }

  /// The path of the group of a key, without the indices of lists.
  static func group(of path: String) -> String { components(of: path).dropLast().joined(separator: ".") }

  private static func components(of path: String) -> [String] {
    path.split(separator: ".").map { String($0.prefix { $0 != "[" }) }.filter { !$0.isEmpty }
  }

  private static func letters(of path: String) -> [UInt8] {
    path.utf8.filter { ![UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-")].contains($0) }.map {
      (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0
    }
  }

  private static func isPart(_ word: String, of key: String) -> Bool {
    key.hasSuffix("_" + word) || key.hasPrefix(word + "_") || word.utf8.count > 2 && key.hasPrefix(word)
  }

  private static func correction(of word: String, among candidates: [Candidate]) -> String? {
    correction(
      of: word, among: candidates.flatMap { candidate in candidate.words.map { ($0, candidate.path) } })
  }

  private static func correction(of word: String, among words: [(word: String, key: String)]) -> String? {
    guard !word.isEmpty, word.utf8.count <= longest else { return nil }
    let typed = Array(word.utf8)
    let limit = typed.count < 3 ? 0 : max(1, typed.count / 4)
    let ranked = words.compactMap { word, key in
      edits(typed, Array(word.utf8), atMost: limit).map { (key: key, edits: $0) }
    }
    return ranked.min { $0.edits < $1.edits }?.key
  }

  private static func edits(_ a: [UInt8], _ b: [UInt8], atMost limit: Int) -> Int? {
    guard abs(a.count - b.count) <= limit else { return nil }
    let edits = edits(a, b)
    return edits <= limit ? edits : nil
  }

  /// The number of insertions, deletions, replacements and swaps of neighbours that lead from one to the other (optimal
  /// string alignment).
  static func edits(_ a: [UInt8], _ b: [UInt8]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...b.count)
    for i in a.indices {
      var row = [i + 1]
      row.reserveCapacity(b.count + 1)
      for j in b.indices {
        var cost = min(last[j + 1] + 1, row[j] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { cost = min(cost, beforeLast[j - 1] + 1) }
        row.append(cost)
      }
      beforeLast = last
      last = row
    }
    return last[b.count]
  }
}
