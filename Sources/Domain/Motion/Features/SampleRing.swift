/// A ring buffer of the newest samples of the grid: x, y, z and the length, in g.
struct SampleRing: Sendable {
  static let capacity = 256
  private var samples = [SIMD4<Float>](repeating: .zero, count: capacity)
  private var head = 0
  /// The number of samples without a gap, at most ``capacity``.
  private(set) var count = 0

  mutating func append(_ a: SIMD3<Float>, length: Float) {
    head = (head + 1) % Self.capacity
    samples[head] = SIMD4(a, length)
    if count < Self.capacity { count += 1 }
  }

  mutating func removeAll() { count = 0 }

  mutating func keep(newest: Int) { count = min(count, newest) }

  /// The sample of an age below ``capacity``; 0 is the newest.
  subscript(age: Int) -> SIMD4<Float> { samples[(head + Self.capacity - age) % Self.capacity] }
}
