import Chips

/// A gauge that the loop can read, whatever stands between.
public protocol GaugeConnection: GaugeInput {
  var place: PartPlace { get }
  /// What people are told of a failure, with the remedy where there is one.
  static func words(of failure: Failure) -> String
}
