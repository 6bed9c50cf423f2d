import Chips

/// A fuel gauge that the loop can read, by bus or by kernel driver.
public protocol GaugeConnection: GaugeInput {
  var location: PartLocation { get }
  /// The text of a failure for messages, with the remedy if there is one.
  static func words(of failure: Failure) -> String
}
