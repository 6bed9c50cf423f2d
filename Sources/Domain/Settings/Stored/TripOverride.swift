/// The value of `tracking` that a trip restores at its end if it switched tracking on. A change by the operator cancels it.
public struct TripOverride: Codable, Equatable, Sendable {
  /// The operator's previous value; nil: none, so that files and defaults apply again.
  public var before: String?

  public init(before: String?) { self.before = before }

  public static let path = "tracking"

  /// The request to apply at the end of the trip.
  public var end: OperatorRequest {
    var request = OperatorRequest()
    if let before { request.values[Self.path] = before } else { request.unset = [Self.path] }
    return request
  }
}

extension OperatorRequest {
  /// True if the request sets or unsets `tracking`.
  public var isAboutTracking: Bool {
    values[TripOverride.path] != nil || unset.contains(TripOverride.path)
  }
}
