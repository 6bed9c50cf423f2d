import Settings

extension UsageProfile {
  /// The limit of level S with `battery-saving`, in metres.
  public static let batterySavingMetres = 50.0

  /// The tracking policy of the usage profile.
  public var scheme: ReceiverScheme {
    switch self {
    case .highResolution:
      ReceiverScheme(trackingMode: .standard, pausesAutomatically: false, desiredAccuracy: .best)
    case .batterySaving:
      ReceiverScheme(
        trackingMode: .both, pausesAutomatically: true, desiredAccuracy: .metres100, resumeDistance: 500,
        hasCyclicMode: true
      ).keepingLine(within: Self.batterySavingMetres)
    case .significantOnly:
      ReceiverScheme(trackingMode: .significant, pausesAutomatically: false, desiredAccuracy: .metres100)
    }
  }
}
