import Glibc

/// Computes the features of every second from the samples of the grid.
struct FeatureExtractor: Sendable {
  /// The number of stored blocks, in seconds.
  static let memory = 32
  /// The log of the amplitude ratio that indicates a change of activity.
  static let leastChange: Float = 1.4
  /// The spectrum lines of every band: 0.2 to 0.8 Hz, to 1.4 Hz, to 2.0 Hz, to 2.7 Hz, to 3.7 Hz. Higher frequencies
  /// are not available at 10 samples per second.
  static let bands = [1..<4, 4..<7, 7..<10, 10..<14, 14..<19]
  /// The variance in g² that is attributed to the noise of the accelerometer.
  static let floor: Float = 1e-6
  /// The share of the whole variance below which a band counts as empty. Below it, the value would depend on the
  /// evenness of a gait and on its position between two lines of the spectrum.
  static let leastShare: Float = 0.004

  private(set) var ring = SampleRing()
  private var blocks = [MotionBlock](repeating: MotionBlock(), count: memory)
  private var newest = 0
  private(set) var blockCount = 0
  private(set) var open = MotionBlock()
  /// True if the newest seconds differ from those before so much that another activity has started.
  private(set) var isChange = false
  private var spectrum = Spectrum()
  private var scratch = [Float](repeating: 0, count: Spectrum.size)
  private var correlations = [Float](repeating: 0, count: Rhythm.lags.upperBound + 2)
  private(set) var features = MotionFeatures()
  private(set) var rhythm = Rhythm()

  mutating func add(_ a: SIMD3<Float>) {
    let n = (a * a).sum().squareRoot()
    open.add(a, length: n)
    ring.append(a, length: n)
  }

  /// Discards the window because samples are missing.
  mutating func breakOff() {
    ring.removeAll()
  }

  /// Discards the current block.
  mutating func drop() { open = MotionBlock() }

  /// Ends the block of a second and computes the features.
  mutating func close() {
    newest = (newest + 1) % Self.memory
    blocks[newest] = open
    blockCount = min(blockCount + 1, Self.memory)
    open = MotionBlock()
    isChange = hasChanged
    if isChange { forgetBefore(seconds: 2) }
    measure()
  }

  /// True if the newest two seconds deviate far from the earlier ones in the same direction, relative to their spread.
  private var hasChanged: Bool {
    let past = 2..<max(2, min(blockCount, 10))
    guard past.count >= 3 else { return false }
    var (mean, squares): (Float, Float) = (0, 0)
    for age in past {
      mean += level(age)
      squares += level(age) * level(age)
    }
    mean /= Float(past.count)
    let spread = max(0, squares / Float(past.count) - mean * mean).squareRoot()
    let (newest, second) = (level(0) - mean, level(1) - mean)
    let least = max(Self.leastChange, 2.5 * spread)
    return min(abs(newest), abs(second)) > least && newest * second > 0
  }

  /// The change of the mean vector from second to second in g, the lesser of the last two changes.
  var turn: Float {
    guard blockCount >= 2 else { return 0 }
    let steps = (0..<min(2, blockCount - 1)).map { age in
      let step = block(age).mean - block(age + 1).mean
      return (step * step).sum()
    }
    return (steps.min() ?? 0).squareRoot()
  }

  /// Returns the log of the standard deviation of a second.
  private func level(_ age: Int) -> Float { Self.amplitude(block(age).vectorVariance) }

  /// The level of the calmer of the last two seconds.
  var calmerLevel: Float { blockCount > 1 ? min(level(0), level(1)) : level(0) }

  /// Discards older blocks and samples, so that no window includes a change.
  private mutating func forgetBefore(seconds: Int) {
    blockCount = min(blockCount, seconds)
    ring.keep(newest: seconds * GridStream.rate)
  }

  /// Returns the sum of the newest blocks.
  func window(_ count: Int) -> MotionBlock {
    var sum = MotionBlock()
    for age in 0..<min(count, blockCount) { sum += block(age) }
    return sum
  }

  func block(_ age: Int) -> MotionBlock { blocks[(newest + Self.memory - age) % Self.memory] }

  private mutating func measure() {
    let five = window(5)
    features[.deviation5] = Self.amplitude(five.lengthVariance)
    features[.deviation20] = Self.amplitude(window(20).lengthVariance)
    features[.vertical] = log(
      (five.verticalVariance + Self.floor) / (five.vectorVariance + 3 * Self.floor))
    features[.wander] = wander
    let count = min(ring.count, Spectrum.size)
    spectrum.measure(ring, count: count)
    rhythm = Rhythm(of: ring, count: count, scratch: &scratch, correlations: &correlations)
    features[.frequency] = rhythm.frequency
    features[.length1] = Self.amplitude(spectrum.length, in: 1, of: five.lengthVariance)
    features[.length2] = Self.amplitude(spectrum.length, in: 2, of: five.lengthVariance)
    features[.length3] = Self.amplitude(spectrum.length, in: 3, of: five.lengthVariance)
    features[.length4] = Self.amplitude(spectrum.length, in: 4, of: five.lengthVariance)
    features[.vector0] = Self.amplitude(spectrum.vector, in: 0, of: five.vectorVariance)
    features[.vector1] = Self.amplitude(spectrum.vector, in: 1, of: five.vectorVariance)
    features[.vector3] = Self.amplitude(spectrum.vector, in: 3, of: five.vectorVariance)
    features[.vector4] = Self.amplitude(spectrum.vector, in: 4, of: five.vectorVariance)
  }

  private static func amplitude(_ variance: Float) -> Float { 0.5 * log(variance + floor) }

  private static func amplitude(_ lines: [Float], in band: Int, of whole: Float) -> Float {
    var sum = floor / 10 + leastShare * whole
    for line in bands[band] { sum += lines[line] }
    return 0.5 * log(sum)
  }

  /// The standard deviation of the levels of the last 20 seconds.
  private var wander: Float {
    let count = min(blockCount, 20)
    var (mean, squares): (Float, Float) = (0, 0)
    for age in 0..<count {
      let level = Self.amplitude(block(age).lengthVariance)
      mean += level
      squares += level * level
    }
    mean /= Float(max(count, 1))
    return max(0, squares / Float(max(count, 1)) - mean * mean).squareRoot()
  }
}
