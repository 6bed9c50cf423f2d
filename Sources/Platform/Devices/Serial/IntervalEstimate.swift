import Quantities

/// Measures a receiver's output interval from the times at which epochs or bursts were complete.
struct IntervalEstimate: Equatable, Sendable {
  private var last: Moment?
  private var interval: Duration?
  private var agreements = 0

  /// The output intervals that receivers can be set to.
  private static let usual: [Duration] = [
    .milliseconds(100), .milliseconds(200), .milliseconds(250), .milliseconds(500), .seconds(1), .seconds(2),
    .seconds(5), .seconds(10),
  ]

  var isEmpty: Bool { last == nil }

  /// The interval, once three successive intervals agree with a usual one within a quarter; nil before.
  mutating func record(at now: Moment) -> Duration? {
    defer { last = now }
    guard let last else { return nil }
    let elapsed = now - last
    let match = Self.usual.first { $0 * 3 / 4 <= elapsed && elapsed <= $0 * 5 / 4 }
    agreements = match != nil && match == interval ? agreements + 1 : 0
    interval = match
    return agreements >= 2 ? match : nil
  }
}
