import Settings

extension UsageProfile {
  /// `battery-saving` keeps the line through its records within so many metres of the true one.
  public static let batterySavingMetres = 50.0

  /// The plan these words come to.
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
