import Quantities

/// Tracks the acceleration in one direction during one event of harsh driving.
struct HarshnessWatch: Equatable, Sendable {
  /// The share of the threshold below which the event ends.
  static let release: Float = 0.8
  /// The permitted length of an event in grid steps: a bump is shorter, and no vehicle sustains it for longer.
  static let length = GridStream.rate / 2...GridStream.rate * 15

  private(set) var isOpen = false
  private var begin: Int64 = 0
  private var peak: Float = 0
  /// The sum over the samples of the acceleration along gravity, less that at standstill, in g.
  private var lift: Float = 0
  private var squares: Float = 0
  private var count = 0

  /// Processes a sample of the grid and returns an event when it ends.
  ///
  /// `push` is the acceleration in the tracked direction in m/s². `across` is the whole horizontal acceleration, `up` the
  /// one along gravity less that at standstill, both in g.
  mutating func take(push: Float, threshold: Float, across: Float, up: Float, at index: Int64) -> (
    start: Int64, samples: Int, peak: Float
  )? {
    if !isOpen {
      guard push > threshold else { return nil }
      self = HarshnessWatch()
      (isOpen, begin) = (true, index)
    }
    if push < threshold * Self.release {
      isOpen = false
      guard Self.length.contains(count), isForce else { return nil }
      return (begin, count, peak)
    }
    peak = max(peak, push)
    lift += up
    squares += across * across
    count = min(count + 1, Self.length.upperBound + 1)
    return nil
  }

  /// True if the acceleration is a force and not a tilt of the device.
  ///
  /// A force leaves the component along gravity unchanged; a tilt reduces it, by the cosine by half of the square of
  /// the horizontal part. Half of that loss is the limit.
  private var isForce: Bool { lift / Float(count) > -squares / Float(count) / 4 }
}
