import Glibc

/// How the features speak for each activity: the whole of what was learnt.
///
/// A feature counts by how many spreads it lies off the mean. The weight of that number, and of its square, says how
/// much it speaks for an activity; what all features say is added up and gives the logarithm of a likelihood.
public struct ActivityTable: Sendable {
  struct Row: Sendable {
    var feature: MotionFeatures.Name
    /// Of the feature over all activities, each weighted alike.
    var mean: Float
    var spread: Float
    /// Weights for walking, running, cycling, driving, stationary.
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

  /// No feature counts as more than so many spreads: what was never seen is not evidence without bounds.
  static let bound: Float = 4

  /// Logarithms of the likelihoods, the best at most 0.
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
  /// Why a table cannot be used.
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

  /// Reads a table as `scripts/fit-motion` writes it: rows of comma-separated values, first `bias` with a value for each
  /// activity, then each feature with mean, spread, and the linear and the square weights.
  public init(text: String) throws(Fault) {
    var rows: [Row] = []
    var bias: [Float]?
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      guard let word = line.split(separator: ",").first else { continue }
      let numbers = line.split(separator: ",").dropFirst().compactMap { Float($0) }.filter { $0.isFinite }
      if word == "bias" {
        guard numbers.count == 5 else { throw .row(line: index + 1, expected: "5 numbers") }
        bias = numbers
      } else {
        guard let feature = MotionFeatures.Name.allCases.first(where: { "\($0)" == word }) else {
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
