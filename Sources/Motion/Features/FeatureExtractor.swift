import Glibc

/// Makes the features of each second from samples on the grid.
struct FeatureExtractor: Sendable {
  /// Blocks that are kept, in seconds.
  static let memory = 32
  /// Logarithm of the ratio of amplitudes that makes a change.
  static let leastChange: Float = 1.4
  /// Edges of the bands in lines of the spectrum.
  static let bands = [1, 4, 7, 10, 14, 19, 30, 45]

  private(set) var ring = SampleRing()
  private var blocks = [MotionBlock](repeating: MotionBlock(), count: memory)
  private var newest = 0
  private(set) var blockCount = 0
  private(set) var open = MotionBlock()
  /// The newest seconds are so unlike those before that something else has begun.
  private(set) var isChange = false
  private var lastLength: Float?
  private var spectrum = Spectrum()
  private var scratch = [Float](repeating: 0, count: Spectrum.size)
  private var correlations = [Float](repeating: 0, count: Rhythm.lags.upperBound + 2)
  private(set) var features = MotionFeatures()
  private(set) var rhythm = Rhythm()

  mutating func add(_ a: SIMD3<Float>) {
    let n = (a * a).sum().squareRoot()
    open.add(a, length: n, change: lastLength.map { n - $0 } ?? 0)
    lastLength = n
    ring.append(a, length: n)
  }

  /// Samples are missing; what was is not continued.
  mutating func breakOff() {
    ring.removeAll()
    lastLength = nil
  }

  /// Drops the open block.
  mutating func drop() { open = MotionBlock() }

  /// Closes the block of a second.
  mutating func close() {
    newest = (newest + 1) % Self.memory
    blocks[newest] = open
    blockCount = min(blockCount + 1, Self.memory)
    open = MotionBlock()
    isChange = hasChanged
    if isChange { forgetBefore(seconds: 2) }
    measure()
  }

  /// The newest two seconds are far off, on one side, from those before them, as far as those agree.
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

  /// Logarithm of how much a second was shaken.
  private func level(_ age: Int) -> Float { 0.5 * log(block(age).vectorVariance + 1e-6) }

  /// No window reaches back across a change.
  private mutating func forgetBefore(seconds: Int) {
    blockCount = min(blockCount, seconds)
    ring.keep(newest: seconds * GridStream.rate)
  }

  /// The sum of the newest blocks.
  func window(_ count: Int) -> MotionBlock {
    var sum = MotionBlock()
    for age in 0..<min(count, blockCount) { sum += block(age) }
    return sum
  }

  func block(_ age: Int) -> MotionBlock { blocks[(newest + Self.memory - age) % Self.memory] }

  private mutating func measure() {
    let floor: Float = 1e-6
    let short = window(2)
    let five = window(5)
    let long = window(20)
    features[.sd2] = 0.5 * log(short.lengthVariance + floor)
    features[.sd5] = 0.5 * log(five.lengthVariance + floor)
    features[.sd20] = 0.5 * log(long.lengthVariance + floor)
    features[.vec5] = 0.5 * log(five.vectorVariance + floor)
    features[.vec20] = 0.5 * log(long.vectorVariance + floor)
    features[.vertical] = log((five.verticalVariance + floor) / (five.vectorVariance + 3 * floor))
    measureSlow(floor)
    spectrum.measure(ring, count: min(ring.count, Spectrum.size))
    rhythm = Rhythm(
      of: ring, count: min(ring.count, Spectrum.size), scratch: &scratch, correlations: &correlations)
    var total: Float = floor
    var vectorTotal: Float = floor
    var moment: Float = 0
    var logs: Float = 0
    for line in 1..<45 {
      total += spectrum.length[line]
      vectorTotal += spectrum.vector[line]
      moment += spectrum.length[line] * Float(line)
      logs += log(spectrum.length[line] + floor / 45)
    }
    features[.centroid] = log(moment * Spectrum.resolution / total + 0.05)
    features[.flat] = logs / 44 - log(total / 44)
    for band in 0..<7 {
      var (n, v): (Float, Float) = (floor / 10, floor / 10)
      for line in Self.bands[band]..<Self.bands[band + 1] {
        n += spectrum.length[line]
        v += spectrum.vector[line]
      }
      features.values[MotionFeatures.Name.n0.rawValue + band] = 0.5 * log(n)
      features.values[MotionFeatures.Name.v0.rawValue + band] = 0.5 * log(v)
    }
    features[.peak] = rhythm.strength
    features[.frequency] = rhythm.frequency
    features[.half] = rhythm.half
    features[.longest] = log(max(five.longest - 1, 0) + 1e-3)
    features[.shortest] = log(max(1 - five.shortest, 0) + 1e-3)
    features[.rough] = 0.5 * log(five.changes / max(five.count, 1) + floor)
  }

  /// Of the means of the seconds: tilt, braking, curves; and how even the seconds are.
  private mutating func measureSlow(_ floor: Float) {
    let count = min(blockCount, 20)
    var mean = SIMD3<Float>.zero
    var (level, levelSquares, quiet): (Float, Float, Float) = (0, 0, 0)
    for age in 0..<count {
      let block = block(age)
      mean += block.mean
      let sd = 0.5 * log(block.lengthVariance + floor)
      level += sd
      levelSquares += sd * sd
      if sd < -4.6 { quiet += 1 }
    }
    mean /= Float(count)
    var (slow, turn): (Float, Float) = (0, 0)
    for age in 0..<count {
      let offset = block(age).mean - mean
      slow += (offset * offset).sum()
      if age > 0 {
        let step = block(age).mean - block(age - 1).mean
        turn += (step * step).sum()
      }
    }
    features[.slow20] = 0.5 * log(slow / Float(count) + floor)
    features[.tilt] = 0.5 * log(turn / Float(max(count - 1, 1)) + floor)
    level /= Float(count)
    features[.wander] = max(0, levelSquares / Float(count) - level * level).squareRoot()
    features[.quiet] = quiet / Float(count)
  }
}
