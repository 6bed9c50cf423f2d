/// Detects in raw samples that an accelerometer is overloaded or hangs.
struct SampleInspector: Sendable {
  /// The value in g above which a constant axis is considered clipped.
  static let leastRange: Float = 1.9
  /// The limit of plausible values in g; no accelerometer measures more.
  static let absurd: Float = 64
  /// The tolerated deviation of a constant value's length from 1 g, for a stationary device.
  static let offset: Float = 0.2
  /// The last step in g above which a constant value is a fault: a hung accelerometer stops amid a movement, while a
  /// device becomes stationary gradually.
  static let jump: Float = 0.2
  /// The number of seconds after which a constant value counts as stationary, regardless of its last step.
  static let longestConstantSeconds = 60

  private var last: SIMD3<Float>?
  /// The last step to the present constant value, in g.
  private var arrival: Float = 0
  private var seen = 0
  private var changed = 0
  private var clippedInSecond = 0
  private var constantSeconds = 0

  static func isReadable(_ a: SIMD3<Float>) -> Bool {
    abs(a.x) <= absurd && abs(a.y) <= absurd && abs(a.z) <= absurd
  }

  /// The value in g above which the range is wider than the smallest, 2 g.
  static let widerRange: Float = 2.1

  /// Returns true if an axis may be clipped at the end of a range wider than the smallest.
  static func mayBeClippedFar(_ a: SIMD3<Float>) -> Bool {
    abs(a.x) >= widerRange || abs(a.y) >= widerRange || abs(a.z) >= widerRange
  }

  /// Processes a sample and returns true if an axis is clipped.
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
    let saturated = (step .== .zero) .& ((a .>= Self.leastRange) .| (a .<= -Self.leastRange))
    guard any(saturated) else { return false }
    clippedInSecond += 1
    return true
  }

  /// The result of one second.
  struct Verdict: Equatable {
    var isStuck: Bool
    /// The share of clipped samples, 0...1.
    var clipped: Float
  }

  /// Ends a second and returns the findings.
  mutating func closeSecond() -> Verdict {
    defer { (seen, changed, clippedInSecond) = (0, 0, 0) }
    guard seen > 3, changed == 0, let last else {
      constantSeconds = 0
      return Verdict(isStuck: false, clipped: Float(clippedInSecond) / Float(max(seen, 1)))
    }
    constantSeconds += 1
    let length = (last * last).sum().squareRoot()
    let cannotBeStationary = abs(length - 1) > Self.offset
    let stoppedShort = arrival > Self.jump && constantSeconds < Self.longestConstantSeconds
    return Verdict(isStuck: cannotBeStationary || stoppedShort, clipped: 0)
  }
}
