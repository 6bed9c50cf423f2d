/// The sums of one second. Windows of any length are sums of blocks.
struct MotionBlock: Equatable, Sendable {
  /// Samples of the grid.
  var count: Float = 0
  /// Sum of the vector, and of the products of its axes: xx, yy, zz and xy, yz, zx.
  var sum = SIMD3<Float>.zero
  var squares = SIMD3<Float>.zero
  var products = SIMD3<Float>.zero
  /// Sum of the length and of its square, less 1 g.
  var length: Float = 0
  var lengthSquares: Float = 0

  mutating func add(_ a: SIMD3<Float>, length n: Float) {
    count += 1
    sum += a
    squares += a * a
    products += a * SIMD3(a.y, a.z, a.x)
    // Around 1 g, so that the difference of squares keeps its digits.
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

  /// g² of the length.
  var lengthVariance: Float {
    let n = max(count, 1)
    return max(0, lengthSquares / n - (length / n) * (length / n))
  }

  /// g² of all axes together.
  var vectorVariance: Float {
    let mean = self.mean
    return max(0, (squares / max(count, 1) - mean * mean).sum())
  }

  /// g² along the mean vector, which is gravity where nothing accelerates for long.
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
