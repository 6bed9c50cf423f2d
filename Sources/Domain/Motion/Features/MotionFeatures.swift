/// The features of one second, computed from windows that end with it. None depends on the orientation of the device.
///
/// Amplitudes are natural logarithms of g, which makes their spread within a class uniform. The bands are those of
/// ``FeatureExtractor/bands``.
struct MotionFeatures: Equatable, Sendable {
  /// The features, in the order of their values.
  enum Name: Int, CaseIterable, Sendable {
    /// The standard deviation of the length over 5 and over 20 s. It increases in the order stationary, vehicle,
    /// cycling, walking, running.
    case deviation5, deviation20
    /// The amplitude of the length in a band: steps and their harmonics, springs.
    case length1, length2, length3, length4
    /// The amplitude of the vector in a band, all axes together. Unlike the length it includes rotations of the device.
    case vector0, vector1, vector3, vector4
    /// The frequency in Hz at which the length repeats; 0 if it does not.
    case frequency
    /// The variation between the last 20 seconds: high in traffic, low in gait.
    case wander
    /// The share of the movement along gravity.
    case vertical
  }

  var values = [Float](repeating: 0, count: Name.allCases.count)

  subscript(name: Name) -> Float {
    get { values[name.rawValue] }
    set { values[name.rawValue] = newValue }
  }
}
