import Quantities

extension Double {
  /// A distance in metres as text: whole metres below 1 km, else kilometres with one decimal.
  public var metricDistance: String {
    self < 1000 ? "\(text(decimals: 0)) m" : "\((self / 1000).text(decimals: 1)) km"
  }
}
