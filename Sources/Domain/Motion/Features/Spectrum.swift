import Glibc

/// The power spectrum of the last five seconds: of the vector, all axes together, and of its length.
///
/// Neither depends on the orientation of the device. Available samples are Hann-windowed and zero-padded.
struct Spectrum: Sendable {
  static let size = 128
  /// The distance between two lines in Hz.
  static let resolution = Float(GridStream.rate) / Float(size)

  /// The power of every line in g², ``Spectrum/resolution`` apart. Their sum is the variance.
  private(set) var vector = [Float](repeating: 0, count: size / 2)
  private(set) var length = [Float](repeating: 0, count: size / 2)

  private let cosines: [Float]
  private let sines: [Float]
  private var first = [SIMD2<Float>](repeating: .zero, count: size)
  private var second = [SIMD2<Float>](repeating: .zero, count: size)

  init() {
    let turns = (0..<Self.size).map { 2 * Float.pi * Float($0) / Float(Self.size) }
    (cosines, sines) = (turns.map { cos($0) }, turns.map { sin($0) })
  }

  /// Computes the spectrum of the newest `count` samples of a ring, at most ``size``.
  mutating func measure(_ ring: SampleRing, count: Int) {
    let count = min(count, Self.size)
    var mean = SIMD4<Float>.zero
    for age in 0..<count { mean += ring[age] }
    mean /= Float(max(count, 1))
    var weight: Float = 0
    for index in 0..<Self.size {
      guard index < count else {
        (first[index], second[index]) = (.zero, .zero)
        continue
      }
      let hann = 0.5 - 0.5 * cosine(Float(index) + 0.5, of: Float(count))
      let a = (ring[index] - mean) * hann
      weight += hann * hann
      first[index] = SIMD2(a.x, a.y)
      second[index] = SIMD2(a.z, a.w)
    }
    transform(&first)
    transform(&second)
    let scale = 2 / (max(weight, 1e-6) * Float(Self.size))
    for line in 0..<Self.size / 2 {
      let mirror = (Self.size - line) % Self.size
      let (a, b) = (first[line], first[mirror])
      let (p, q) = (second[line], second[mirror])
      let axis = SIMD2(p.x + q.x, p.y - q.y) / 2
      let norm = SIMD2(p.y + q.y, q.x - p.x) / 2
      length[line] = scale * (norm * norm).sum()
      vector[line] = scale * (((a * a).sum() + (b * b).sum()) / 2 + (axis * axis).sum())
    }
  }

  private func cosine(_ part: Float, of whole: Float) -> Float {
    let position = part / whole * Float(Self.size)
    let index = Int(position)
    let fraction = position - Float(index)
    return cosines[index % Self.size] * (1 - fraction) + cosines[(index + 1) % Self.size] * fraction
  }

  /// Performs the fast Fourier transform in place (Cooley and Tukey).
  private func transform(_ values: inout [SIMD2<Float>]) {
    var target = 0
    for index in 1..<Self.size {
      var bit = Self.size >> 1
      while target & bit != 0 {
        target ^= bit
        bit >>= 1
      }
      target |= bit
      if index < target { values.swapAt(index, target) }
    }
    var half = 1
    while half < Self.size {
      let stride = Self.size / (2 * half)
      for start in Swift.stride(from: 0, to: Self.size, by: 2 * half) {
        for offset in 0..<half {
          let (c, s) = (cosines[offset * stride], sines[offset * stride])
          let odd = values[start + offset + half]
          let turned = SIMD2(odd.x * c + odd.y * s, odd.y * c - odd.x * s)
          let even = values[start + offset]
          values[start + offset] = even + turned
          values[start + offset + half] = even - turned
        }
      }
      half *= 2
    }
  }
}
