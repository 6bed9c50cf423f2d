extension Configuration {
  /// True if a file, a kept setting, a server, a profile or an override gives the setting a value; false for the default.
  public func gives(_ path: String) -> Bool { origins[path].map { $0 != .default } ?? false }

  /// Recording pauses automatically while the device is stationary: `main.pause_automatically`, which
  /// `main.tracking_mode: "both"` implies unless somebody gives it. Significant changes alone have no pause of their own.
  public var pausesAtRest: Bool {
    switch main.trackingMode {
    case .off, .significant: false
    case .standard: main.pausesAutomatically
    case .both: main.pausesAutomatically || !gives(Schema.pauseAutomatically.path)
    }
  }
}
