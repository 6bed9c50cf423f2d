import Settings

extension UsageProfile {
  /// The plan these words come to.
  public var scheme: ReceiverScheme {
    switch self {
    case .highResolution:
      ReceiverScheme(trackingMode: .standard, pausesAutomatically: false, desiredAccuracy: .best)
    case .batterySaving:
      ReceiverScheme(
        trackingMode: .both, pausesAutomatically: true, desiredAccuracy: .metres100, resumeDistance: 500,
        hasCyclicMode: true)
    case .significantOnly:
      ReceiverScheme(trackingMode: .significant, pausesAutomatically: false, desiredAccuracy: .metres100)
    }
  }
}
