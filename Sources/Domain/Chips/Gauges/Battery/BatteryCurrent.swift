/// A current and its source.
public struct BatteryCurrent: Hashable, Sendable {
  /// Current in mA, positive into the battery.
  public var milliamperes: Double
  public var source: Source

  /// The source of a current.
  public enum Source: Hashable, Sendable {
    /// Measured with a shunt.
    case measured
    /// The gauge's rate times the battery capacity from the board file.
    case estimated
  }

  public init(milliamperes: Double, source: Source) {
    self.milliamperes = milliamperes
    self.source = source
  }
}
