/// Finds the key that was probably meant.
enum NearestKey {
  private static let longest = 64

  /// The candidate that takes fewest edits to reach; nil where none is near enough to be a slip of the finger.
  ///
  /// A key given in full by its last component alone counts as near: `min_time` for `main.min_time`.
  static func to(_ key: String, among candidates: [String]) -> String? {
    guard !key.isEmpty, key.utf8.count <= longest else { return nil }
    let typed = Array(key.utf8)
    let limit = max(1, typed.count / 3)
    let ranked = candidates.map { (candidate: $0, edits: edits(typed, Array($0.utf8))) }
    if let best = ranked.min(by: { ($0.edits, $0.candidate) < ($1.edits, $1.candidate) }), best.edits <= limit
    {
      return best.candidate
    }
    let last = key.split(separator: ".").last
    let sameEnd = candidates.filter { $0.contains(".") && $0.split(separator: ".").last == last }
    return sameEnd.min()
  }

  /// Insertions, deletions, replacements and swaps of neighbours that lead from one to the other
  /// (optimal string alignment).
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
