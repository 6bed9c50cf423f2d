/// The likelihood of walking, running, cycling and driving by the average and the spread of the ground speed.
struct SpeedTable: Sendable {
  /// Lower bounds of the classes of average speed from the second on, m/s.
  static let speeds: [Double] = [0.8, 1.2, 1.6, 2, 2.4, 2.8, 3.3, 4, 5, 6, 7.5, 9, 11, 14, 20]
  /// Lower bounds of the classes of standard deviation from the second on, m/s.
  static let spreads: [Double] = [0.15, 0.3, 0.5, 0.8, 1.2, 2]
  /// Number of activities: walking, running, cycling, driving.
  static let activities = 4

  private let penalties: [UInt8]

  /// Creates a table from four penalties per class of spread and class of speed: by how many tenths of the natural
  /// logarithm an activity is less likely than the best one. Missing values are 0.
  init(penalties: [UInt8]) {
    let size = (Self.speeds.count + 1) * (Self.spreads.count + 1) * Self.activities
    let missing = max(size - penalties.count, 0)
    self.penalties = penalties + Array(repeating: 0, count: missing)
  }

  /// Returns the logarithms of the likelihoods; 0 is the best.
  func logLikelihoods(average: Double, spread: Double) -> SIMD4<Double> {
    let row = Self.speeds.count { average >= $0 }
    let column = Self.spreads.count { spread >= $0 }
    let first = (row * (Self.spreads.count + 1) + column) * Self.activities
    var logarithms = SIMD4<Double>.zero
    for lane in 0..<Self.activities { logarithms[lane] = Double(penalties[first + lane]) * -0.1 }
    return logarithms
  }
}
