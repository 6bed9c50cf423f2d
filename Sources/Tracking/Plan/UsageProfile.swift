import Settings

/// Ready-made words for the settings, by the names and values of the phone's manual.
public enum UsageProfile: String, Sendable, CaseIterable {
  /// Pause off, best accuracy.
  case highResolution = "high-resolution"
  /// Pause on, resumed beyond 500 m, significant changes, 100 m.
  case batterySaving = "battery-saving"
  /// Significant changes alone.
  case significantOnly = "significant-only"

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
