/// The value of `tracking` that a trip restores at its end if it switched tracking on. A change by the operator cancels it.
public struct TrackingClaim: Codable, Equatable, Sendable {
  /// The operator's previous value; nil: none, so that files and defaults apply again.
  public var before: String?

  public init(before: String?) { self.before = before }

  public static let path = "tracking"

  /// The request to apply at the end of the trip.
  public var end: OperatorWishes {
    var wishes = OperatorWishes()
    if let before { wishes.values[Self.path] = before } else { wishes.unset = [Self.path] }
    return wishes
  }
}

extension OperatorWishes {
  /// True if the request sets or unsets `tracking`.
  public var isAboutTracking: Bool {
    values[TrackingClaim.path] != nil || unset.contains(TrackingClaim.path)
  }
}
