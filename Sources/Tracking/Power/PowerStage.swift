/// What a level means at present: critical begins with the last position.
public enum PowerStage: Equatable, Sendable {
  case normal
  case low
  case lastPosition
  /// The receiver is off until the battery has recovered.
  case survival
}
