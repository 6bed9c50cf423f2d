import Quantities

/// Follows the acceleration in one direction through one harsh piece of driving.
struct HarshnessWatch: Equatable, Sendable {
  /// Share of the threshold below which it is over.
  static let release: Float = 0.8
  /// Steps of the grid: a bump is shorter, and no vehicle keeps it up for longer.
  static let length = GridStream.rate / 2...GridStream.rate * 15

  private(set) var isOpen = false
  private var begin: Int64 = 0
  private var peak: Float = 0
  /// g along gravity in excess of what rest has, summed over the samples.
  private var lift: Float = 0
  private var squares: Float = 0
  private var count = 0

  /// A sample of the grid: `push` in m/s² in the direction that is watched, `across` the whole horizontal part and `up`
  /// the part along gravity less that of rest, in g. Answers when something has come to its end.
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

  /// A force adds to gravity and leaves what lies along it; a device that is tilted by so much loses some of it. By the
  /// cosine that is half of the square; half of the loss decides.
  private var isForce: Bool { lift / Float(count) > -squares / Float(count) / 4 }
}
