/// What one second of windows says about the motion. None depends on how the device is turned.
///
/// Amplitudes are natural logarithms of g, so that their spread in a class is even. The bands are those of
/// ``FeatureExtractor/bands``.
struct MotionFeatures: Equatable, Sendable {
  enum Name: Int, CaseIterable, Sendable {
    /// Standard deviation of the length over 5 and over 20 s: rest, vehicle, cycling, walking, running in this order.
    case deviation5, deviation20
    /// Amplitude of the length in a band: steps and their harmonics, springs.
    case length1, length2, length3, length4
    /// Amplitude of the vector, all axes together, in a band: what turns the device shows here and not in the length.
    case vector0, vector1, vector3, vector4
    /// Hz at which the length repeats itself; 0 where it does not.
    case frequency
    /// How uneven the seconds of the last 20 are: traffic wanders, gait does not.
    case wander
    /// Share of the movement along gravity.
    case vertical
  }

  var values = [Float](repeating: 0, count: Name.allCases.count)

  subscript(name: Name) -> Float {
    get { values[name.rawValue] }
    set { values[name.rawValue] = newValue }
  }
}
