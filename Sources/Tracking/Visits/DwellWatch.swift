import Quantities

/// Since when the device has stayed within a circle: the latest stretch of fixes that all lie within reach of its first
/// one. Told fixes, bounded in memory.
struct DwellWatch: Equatable, Sendable {
  /// The stretch as it stands.
  struct Stay: Equatable, Sendable {
    /// When and where it began: the arrival.
    var first: Sample
    var last: Sample
    /// Mean of the fixes.
    var centre: Coordinate
    /// From the centre to the farthest of the fixes, m.
    var radius: Double
    /// How well the centre is known: the best of the fixes, m; nil without a figure.
    var accuracy: Double?
  }

  /// Metres around the first fix; the uncertainty of both is added, at most once more.
  var reach: Double
  /// The stretch, thinned; the first is where it began.
  private var fixes: [Sample] = []
  private(set) var last: Sample?

  /// So many fixes are held; beyond, every second one is let go.
  private static let most = 128
  /// Fixes of a stretch are held that are at least so far apart in time.
  private static let spacing = Duration.seconds(2)

  init(reach: Double) { self.reach = reach }

  mutating func add(_ sample: Sample) {
    if let last, OrderFilter.outcome(of: sample, after: last) == .newStretch { fixes = [] }
    // A pause without a fix: whoever lies within reach of the place before it has stayed.
    while let first = fixes.first, !isWithin(sample, of: first) { fixes.removeFirst() }
    if let newest = fixes.last, let pause = sample.elapsed(since: newest), pause < Self.spacing {
      last = sample
      return
    }
    fixes.append(sample)
    last = sample
    guard fixes.count > Self.most else { return }
    // The first stays: it is when the device came.
    fixes = fixes.enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
  }

  mutating func forget() {
    fixes = []
    last = nil
  }

  /// Where and when the stretch began.
  var first: Sample? { fixes.first }

  /// From the first fix of the stretch to the last.
  var duration: Duration {
    guard let first = fixes.first, let last else { return .zero }
    return last.elapsed(since: first) ?? .zero
  }

  var stay: Stay? {
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
    return Stay(
      first: first, last: last, centre: centre, radius: radius, accuracy: fixes.compactMap(\.accuracy).min())
  }

  private func isWithin(_ sample: Sample, of first: Sample) -> Bool {
    sample.distance(to: first) <= reach + min(sample.uncertainty(with: first), reach)
  }
}
