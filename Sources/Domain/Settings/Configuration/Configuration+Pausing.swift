extension Configuration {
  /// True if any layer other than the defaults gives the setting a value.
  public func gives(_ path: String) -> Bool { origins[path].map { $0 != .default } ?? false }

  /// True if recording pauses automatically while the device is stationary: by `main.pause_automatically`, which
  /// `main.tracking_mode: "both"` implies unless it is given. The mode `significant` has no separate pause.
  public var pausesWhileStationary: Bool {
    switch main.trackingMode {
    case .off, .significant: false
    case .standard: main.pausesAutomatically
    case .both: main.pausesAutomatically || !gives(Schema.pauseAutomatically.path)
    }
  }
}
