/// Looks at raw samples for what a part does when it is overloaded or hangs.
struct SampleInspector: Sendable {
  /// g from which on an axis that does not change stands at the end of its range.
  static let leastRange: Float = 1.9
  /// g; no part reads more.
  static let absurd: Float = 64
  /// How far the length of a value that never changes may lie off 1 g and be rest.
  static let offset: Float = 0.2
  /// g; rest is reached from nearby, a hung part stops in the middle of a movement.
  static let jump: Float = 0.2
  /// Seconds after which a value that never changes is rest, wherever it came from.
  static let patience = 60

  private var last: SIMD3<Float>?
  /// The step by which the value came that has not changed since.
  private var arrival: Float = 0
  private var seen = 0
  private var changed = 0
  private var clippedInSecond = 0
  private var constantSeconds = 0

  static func isReadable(_ a: SIMD3<Float>) -> Bool {
    abs(a.x) <= absurd && abs(a.y) <= absurd && abs(a.z) <= absurd
  }

  /// g from which on the range is not the smallest, 2 g.
  static let widerRange: Float = 2.1

  /// An axis stands where a range wider than the smallest may end.
  static func mayBeClippedFar(_ a: SIMD3<Float>) -> Bool {
    abs(a.x) >= widerRange || abs(a.y) >= widerRange || abs(a.z) >= widerRange
  }

  /// True where an axis is clipped.
  mutating func inspect(_ a: SIMD3<Float>) -> Bool {
    seen += 1
    defer { last = a }
    guard let last else {
      changed += 1
      return false
    }
    let step = a - last
    if step != .zero {
      changed += 1
      arrival = max(abs(step.x), abs(step.y), abs(step.z))
    }
    let held = (step .== .zero) .& ((a .>= Self.leastRange) .| (a .<= -Self.leastRange))
    guard any(held) else { return false }
    clippedInSecond += 1
    return true
  }

  struct Verdict: Equatable {
    var isStuck: Bool
    /// Of the samples, how many were clipped.
    var clipped: Float
  }

  /// Closes a second.
  mutating func closeSecond() -> Verdict {
    defer { (seen, changed, clippedInSecond) = (0, 0, 0) }
    guard seen > 3, changed == 0, let last else {
      constantSeconds = 0
      return Verdict(isStuck: false, clipped: Float(clippedInSecond) / Float(max(seen, 1)))
    }
    constantSeconds += 1
    let length = (last * last).sum().squareRoot()
    let cannotBeRest = abs(length - 1) > Self.offset
    let stoppedShort = arrival > Self.jump && constantSeconds < Self.patience
    return Verdict(isStuck: cannotBeRest || stoppedShort, clipped: 0)
  }
}
