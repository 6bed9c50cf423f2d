import Quantities

/// The slope of a voltage over the last half hour.
struct VoltageTrend: Sendable {
  private static let window = Duration.seconds(1800)
  private static let shortest = Duration.seconds(600)
  /// Minimum distance of the readings that are kept.
  private static let spacing = Duration.seconds(50)
  private static let fewest = 5

  private var samples: [(at: Moment, voltage: Double)] = []

  mutating func add(_ voltage: Double, at now: Moment) {
    if let last = samples.last {
      // A clock that stepped back invalidates earlier readings.
      if now < last.at { samples.removeAll(keepingCapacity: true) }
      if now >= last.at, now - last.at < Self.spacing { return }
    }
    let keep = samples.firstIndex { now - $0.at <= Self.window } ?? samples.endIndex
    samples.removeFirst(keep)
    samples.append((now, voltage))
  }

  mutating func forget() { samples.removeAll(keepingCapacity: true) }

  /// Change of the voltage in V per hour, by least squares; nil if there are too few readings.
  var slope: Double? {
    guard let first = samples.first, let last = samples.last, samples.count >= Self.fewest,
      last.at - first.at >= Self.shortest
    else { return nil }
    let hours = samples.map { ($0.at - first.at).inSeconds / 3600 }
    let middle = hours.reduce(0, +) / Double(hours.count)
    let mean = samples.reduce(0) { $0 + $1.voltage } / Double(samples.count)
    let spread = hours.reduce(0) { $0 + ($1 - middle) * ($1 - middle) }
    guard spread > 0 else { return nil }
    return zip(hours, samples).reduce(0) { $0 + ($1.0 - middle) * ($1.1.voltage - mean) } / spread
  }
}
