/// What one second of windows says about the motion. None depends on how the device is turned.
///
/// Amplitudes are natural logarithms of g, so that their spread in a class is even; shares are logarithms of ratios.
struct MotionFeatures: Equatable, Sendable {
  /// The names, in the order of ``values``.
  enum Name: Int, CaseIterable, Sendable {
    case sd2, sd5, sd20, vec5, vec20, vertical, slow20, tilt
    case n0, n1, n2, n3, n4, n5, n6, v0, v1, v2, v3, v4, v5, v6
    case peak, frequency, half, longest, shortest, rough, wander, quiet, centroid, flat
  }

  var values = [Float](repeating: 0, count: Name.allCases.count)

  subscript(name: Name) -> Float {
    get { values[name.rawValue] }
    set { values[name.rawValue] = newValue }
  }
}
