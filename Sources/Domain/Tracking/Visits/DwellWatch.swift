import Quantities

/// Detects that the device dwells: the latest series of fixes that are all within reach of the first one. Takes
/// fixes; limited in memory.
struct DwellWatch: Equatable, Sendable {
  /// The present dwell.
  struct Dwell: Equatable, Sendable {
    /// Time and position of the arrival.
    var first: Observation
    var last: Observation
    /// Mean position of the fixes.
    var centre: Coordinate
    /// Distance from the centre to the farthest fix in metres.
    var radius: Double
    /// Accuracy of the best fix in metres; nil if unknown.
    var accuracy: Double?
  }

  /// Radius in metres around the first fix. The uncertainty of both fixes is added, at most once the radius.
  var reach: Double
  /// The series, decimated; the first fix is its beginning.
  private var fixes: [Observation] = []
  private(set) var last: Observation?

  /// Maximum number of fixes. Beyond it every second one is dropped.
  private static let most = 128
  /// Shortest interval between kept fixes.
  private static let spacing = Duration.seconds(2)

  init(reach: Double) { self.reach = reach }

  mutating func add(_ observation: Observation) {
    if let last, OrderFilter.outcome(of: observation, after: last) == .newSeries { fixes = [] }
    // After a gap, a device within reach of its last position has dwelt.
    while let first = fixes.first, !isWithin(observation, of: first) { fixes.removeFirst() }
    if let newest = fixes.last, let pause = observation.elapsed(since: newest), pause < Self.spacing {
      last = observation
      return
    }
    fixes.append(observation)
    last = observation
    guard fixes.count > Self.most else { return }
    // The first fix is kept: it is the time of the arrival.
    fixes = fixes.enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
  }

  mutating func forget() {
    fixes = []
    last = nil
  }

  /// Time and position of the first fix.
  var first: Observation? { fixes.first }

  /// The duration from the first fix of the series to the last.
  var duration: Duration {
    guard let first = fixes.first, let last else { return .zero }
    return last.elapsed(since: first) ?? .zero
  }

  var presentDwell: Dwell? {
    guard let first = fixes.first, let last else { return nil }
    var east = 0.0
    var north = 0.0
    for fix in fixes {
      let offset = first.coordinate.offset(to: fix.coordinate)
      east += offset.east
      north += offset.north
    }
    let count = Double(fixes.count)
    let centre = first.coordinate.moved(east: east / count, north: north / count)
    let radius = fixes.map { $0.coordinate.distance(to: centre) }.max() ?? 0
    return Dwell(
      first: first, last: last, centre: centre, radius: radius, accuracy: fixes.compactMap(\.accuracy).min())
  }

  private func isWithin(_ observation: Observation, of first: Observation) -> Bool {
    observation.distance(to: first) <= reach + min(observation.uncertainty(with: first), reach)
  }
}
