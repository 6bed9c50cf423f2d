import Glibc

/// How much the way of a box bends, learned for each pace: between two fixes `seconds` apart it strays from the
/// straight line by `rate · seconds^1.5` metres in the middle, as for a velocity that wanders.
///
/// What the fixes' own errors would have pretended is taken off before it is learned.
struct Restlessness: Equatable, Sendable {
  /// On foot, on a bicycle or in a jam, in a town, on a road.
  enum Pace: Int, CaseIterable {
    case slow, middle, quick, fast

    /// `speed` in m/s.
    init(speed: Double) {
      self = speed < 2.5 ? .slow : speed < 8 ? .middle : speed < 18 ? .quick : .fast
    }
  }

  /// Squares of the rates.
  private var squares: [Double]

  init() { squares = Pace.allCases.map { Self.prior($0) * Self.prior($0) } }

  /// m/s^1.5.
  private static func prior(_ pace: Pace) -> Double {
    switch pace {
    case .slow: 0.04
    case .middle: 0.12
    case .quick: 0.15
    case .fast: 0.15
    }
  }

  /// Weight of a new observation.
  private static let weight = 0.1
  /// An observation counts at most as so many times what was expected, so that no single corner rules an hour.
  private static let surprise = 6.0
  /// The rate falls to no less than this share of the first assumption.
  private static let least = 0.3

  func rate(at speed: Double) -> Double { squares[Pace(speed: speed).rawValue].squareRoot() }

  /// Two fixes of a way, `seconds` apart, `bend` metres off the straight line of which `noise` may be error.
  mutating func learn(bend: Double, noise: Double, seconds: Double, speed: Double) {
    guard seconds > 0 else { return }
    let pace = Pace(speed: speed)
    let known = squares[pace.rawValue]
    let seen = (bend * bend - noise * noise) / (seconds * seconds * seconds)
    let held = min(max(seen, -Self.surprise * known), Self.surprise * known)
    let least = Self.least * Self.prior(pace)
    squares[pace.rawValue] = max(known + Self.weight * (held - known), least * least)
  }

  /// Seconds until the way strays by `metres`.
  func interval(within metres: Double, speed: Double) -> Double {
    pow(metres / max(rate(at: speed), 1e-3), 2.0 / 3)
  }
}
