/// What a trip that switched tracking on puts back at its end. Any word of the operator on `tracking` ends it.
public struct TrackingClaim: Codable, Equatable, Sendable {
  /// What the operator had set before; nil: nothing, so that files and defaults say it again.
  public var before: String?

  public init(before: String?) { self.before = before }

  public static let path = "tracking"

  /// What has to be done at the end of the trip.
  public var end: OperatorWishes {
    var wishes = OperatorWishes()
    if let before { wishes.values[Self.path] = before } else { wishes.unset = [Self.path] }
    return wishes
  }
}

extension OperatorWishes {
  /// They are a word on `tracking`, be it to set it or to take it back.
  public var isAboutTracking: Bool {
    values[TrackingClaim.path] != nil || unset.contains(TrackingClaim.path)
  }
}
