import Glibc

/// The fewest straight lines at constant speed between places of a way that keep each of its seconds within a bound.
///
/// A shortest path over the seconds: those from which a line holds are its steps. A line from a second holds while its
/// velocity lies in a disc around each velocity in between; where these have no point in common, none that reaches
/// further can hold. Places are seen in the plane at the line's beginning.
struct FewestSegments {
  /// Metres.
  let bound: Double
  /// Rising, as indices of the day.
  let seconds: [Int]
  private let places: [Place]

  init(_ day: Day, seconds: [Int], within bound: Double) {
    self.bound = bound
    self.seconds = seconds
    places = seconds.map { day.places[$0] }
  }

  /// The ends of the lines, the first and the last second among them; empty without seconds.
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
    let north = Place.metresPerDegree
    let east = north * cos(places[anchor].latitude * .pi / 180)
    var discs: [(x: Double, y: Double, squared: Double)] = []
    // What the discs' boxes have in common.
    var (left, right, low, high) = (-Double.infinity, Double.infinity, -Double.infinity, Double.infinity)
    for candidate in (anchor + 1)..<seconds.endIndex {
      let time = Double(seconds[candidate] - seconds[anchor])
      let x = places[anchor].turn(to: places[candidate]) * east / time
      let y = (places[candidate].latitude - places[anchor].latitude) * north / time
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
