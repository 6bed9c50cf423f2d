/// A current and where it is from.
public struct BatteryCurrent: Hashable, Sendable {
  /// mA, positive into the battery.
  public var milliamperes: Double
  public var source: Source

  public enum Source: Hashable, Sendable {
    /// Over a shunt.
    case measured
    /// The gauge's rate times the capacity that the board file names.
    case estimated
  }

  public init(milliamperes: Double, source: Source) {
    self.milliamperes = milliamperes
    self.source = source
  }
}
