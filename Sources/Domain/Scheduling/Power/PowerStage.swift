/// The power level with its phase: critical begins with the last position.
public enum PowerStage: Equatable, Sendable {
  case normal
  case low
  case lastPosition
  /// The receiver is off until the battery recovers.
  case survival
}
