import Glibc

/// The fewest straight segments at constant speed between positions of a track that keep each of its seconds
/// within a bound.
///
/// A shortest path over the seconds, whose edges are the valid segments. A segment from a second is valid if
/// its velocity is in a disc around each velocity in between; if these discs have no common point, no
/// longer segment can be valid. Positions are projected to the plane at the start of the segment.
struct FewestSegments {
  /// Maximum error in metres.
  let bound: Double
  /// The selected points as indices of the day, in ascending order.
  let seconds: [Int]
  private let positions: [GeoPoint]

  init(_ day: Day, seconds: [Int], within bound: Double) {
    self.bound = bound
    self.seconds = seconds
    positions = seconds.map { day.positions[$0] }
  }

  /// The ends of the segments, including the first and the last second; empty without seconds.
  func vertices() -> [Int] {
    guard let last = seconds.indices.last else { return [] }
    var lines = [Int](repeating: .max, count: seconds.count)
    var origins = [Int](repeating: 0, count: seconds.count)
    lines[0] = 0
    for anchor in seconds.indices.dropLast() {
      extend(from: anchor, &lines, &origins)
    }
    var path = [last]
    while let head = path.last, head > 0 { path.append(origins[head]) }
    return path.reversed().map { seconds[$0] }
  }

  private func extend(from anchor: Int, _ lines: inout [Int], _ origins: inout [Int]) {
    let next = lines[anchor] + 1
    let north = GeoPoint.metresPerDegree
    let east = north * cos(positions[anchor].latitude * .pi / 180)
    var discs: [(x: Double, y: Double, squared: Double)] = []
    // The intersection of the discs' bounding boxes.
    var (left, right, low, high) = (-Double.infinity, Double.infinity, -Double.infinity, Double.infinity)
    for candidate in (anchor + 1)..<seconds.endIndex {
      let time = Double(seconds[candidate] - seconds[anchor])
      let x = positions[anchor].turn(to: positions[candidate]) * east / time
      let y = (positions[candidate].latitude - positions[anchor].latitude) * north / time
      if x >= left, x <= right, y >= low, y <= high, next < lines[candidate],
        discs.reversed().allSatisfy({ ($0.x - x) * ($0.x - x) + ($0.y - y) * ($0.y - y) <= $0.squared })
      {
        lines[candidate] = next
        origins[candidate] = anchor
      }
      let radius = bound / time
      (left, right) = (max(left, x - radius), min(right, x + radius))
      (low, high) = (max(low, y - radius), min(high, y + radius))
      guard left <= right, low <= high else { return }
      discs.append((x, y, radius * radius))
    }
  }
}
