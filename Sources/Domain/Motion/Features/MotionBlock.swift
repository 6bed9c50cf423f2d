/// The sums over the samples of one second. A longer window is a sum of blocks.
struct MotionBlock: Equatable, Sendable {
  /// The number of samples on the grid.
  var count: Float = 0
  /// The sum of the vectors.
  var sum = SIMD3<Float>.zero
  /// The sums of xx, yy, zz.
  var squares = SIMD3<Float>.zero
  /// The sums of xy, yz, zx.
  var products = SIMD3<Float>.zero
  /// The sum of the lengths less 1 g.
  var length: Float = 0
  /// The sum of the squares of the lengths less 1 g.
  var lengthSquares: Float = 0

  mutating func add(_ a: SIMD3<Float>, length n: Float) {
    count += 1
    sum += a
    squares += a * a
    products += a * SIMD3(a.y, a.z, a.x)
    // Relative to 1 g, to keep precision in the difference of squares.
    length += n - 1
    lengthSquares += (n - 1) * (n - 1)
  }

  static func += (a: inout MotionBlock, b: MotionBlock) {
    a.count += b.count
    a.sum += b.sum
    a.squares += b.squares
    a.products += b.products
    a.length += b.length
    a.lengthSquares += b.lengthSquares
  }

  var mean: SIMD3<Float> { sum / max(count, 1) }

  /// The variance of the length in g².
  var lengthVariance: Float {
    let n = max(count, 1)
    return max(0, lengthSquares / n - (length / n) * (length / n))
  }

  /// The variance of all axes together in g².
  var vectorVariance: Float {
    let mean = self.mean
    return max(0, (squares / max(count, 1) - mean * mean).sum())
  }

  /// The variance along the mean vector in g². The mean vector is gravity, unless an acceleration lasts for long.
  var verticalVariance: Float {
    let mean = self.mean
    let square = (mean * mean).sum()
    guard square > 0.01 else { return 0 }
    let n = max(count, 1)
    let diagonal = squares / n - mean * mean
    let off = products / n - mean * SIMD3(mean.y, mean.z, mean.x)
    let along =
      (diagonal * mean * mean).sum() + 2 * (off * mean * SIMD3(mean.y, mean.z, mean.x)).sum()
    return max(0, along / square)
  }
}
