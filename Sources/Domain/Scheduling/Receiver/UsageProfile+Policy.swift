import Quantities

extension UsageProfile {
  /// The limit of level S with `battery-saving`, in metres.
  public static let batterySavingMetres = 50.0

  /// The tracking policy of the usage profile.
  public var policy: TrackingPolicy {
    switch self {
    case .highResolution:
      TrackingPolicy(trackingMode: .standard, pausesAutomatically: false, desiredAccuracy: .best)
    case .batterySaving:
      TrackingPolicy(
        trackingMode: .both, pausesAutomatically: true, desiredAccuracy: .metres100, resumeDistance: 500,
        hasCyclicMode: true
      ).keepingLine(within: Self.batterySavingMetres)
    case .significantOnly:
      TrackingPolicy(trackingMode: .significant, pausesAutomatically: false, desiredAccuracy: .metres100)
    }
  }
}
