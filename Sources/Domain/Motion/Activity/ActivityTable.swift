import Glibc

/// The fitted weights that turn features into likelihoods of the activities.
///
/// Every feature is normalized to its deviation from the mean in units of its spread. This number and its square are
/// multiplied by a weight per activity. The sum over all features is the log-likelihood of the activity.
public struct ActivityTable: Sendable {
  /// The row of one feature.
  struct Row: Sendable {
    var feature: MotionFeatures.Name
    /// The mean of the feature over all activities, equally weighted.
    var mean: Float
    /// The standard deviation, equally weighted as well.
    var spread: Float
    /// The weights for walking, running, cycling, driving, stationary.
    var linear: ActivityValues
    var square: ActivityValues

    init(_ feature: MotionFeatures.Name, _ mean: Float, _ spread: Float, _ linear: [Float], _ square: [Float])
    {
      (self.feature, self.mean, self.spread) = (feature, mean, spread)
      self.linear = Self.values(linear)
      self.square = Self.values(square)
    }

    static func values(_ list: [Float]) -> ActivityValues {
      var values = ActivityValues.zero
      for (lane, value) in list.enumerated() where lane < values.scalarCount { values[lane] = value }
      return values
    }
  }

  var rows: [Row]
  var bias: ActivityValues

  init(bias: [Float], _ rows: [Row]) {
    self.rows = rows
    self.bias = Row.values(bias)
  }

  /// The limit of a normalized feature: a value outside the fitted range is not unlimited evidence.
  static let bound: Float = 4

  /// Returns the log-likelihoods, normalized to at most 0.
  func likelihoods(of features: MotionFeatures) -> ActivityValues {
    var sum = bias
    for row in rows {
      let z = max(-Self.bound, min(Self.bound, (features[row.feature] - row.mean) / row.spread))
      sum += row.linear * z + row.square * (z * z - 1)
    }
    var best = -Float.infinity
    for activity in Activity.allCases { best = max(best, sum[activity]) }
    var total: Float = 0
    for activity in Activity.allCases { total += exp(sum[activity] - best) }
    return sum - (best + log(total))
  }
}

extension ActivityTable {
  /// The reason why the text of a table is rejected.
  public enum Fault: Error, Equatable, Sendable, CustomStringConvertible {
    case row(line: Int, expected: String)
    case noBias

    public var description: String {
      switch self {
      case .row(let line, let expected): "line \(line): expected \(expected)"
      case .noBias: "no row \"bias\"; expected one with 5 numbers"
      }
    }
  }

  /// Parses a table in the format of `scripts/fit-motion`: rows of comma-separated values. The row `bias` has a value
  /// per activity, the row of a feature its mean, spread, linear and square weights.
  public init(text: String) throws(Fault) {
    var rows: [Row] = []
    var bias: [Float]?
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      guard let name = line.split(separator: ",").first else { continue }
      let numbers = line.split(separator: ",").dropFirst().compactMap { Float($0) }.filter { $0.isFinite }
      if name == "bias" {
        guard numbers.count == 5 else { throw .row(line: index + 1, expected: "5 numbers") }
        bias = numbers
      } else {
        guard let feature = MotionFeatures.Name.allCases.first(where: { "\($0)" == name }) else {
          throw .row(line: index + 1, expected: "a feature name")
        }
        guard numbers.count == 12, numbers[1] > 0 else {
          throw .row(line: index + 1, expected: "12 numbers and a spread above 0")
        }
        rows.append(Row(feature, numbers[0], numbers[1], Array(numbers[2..<7]), Array(numbers[7...])))
      }
    }
    guard let bias else { throw .noBias }
    self.init(bias: bias, rows)
  }
}
