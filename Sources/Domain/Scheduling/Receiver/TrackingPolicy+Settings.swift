import Quantities

extension TrackingPolicy {
  /// Selects the tracking policy by `tracking_mode`, `pause_automatically` and `desired_accuracy`.
  ///
  /// | `tracking_mode` | pause | moving | stationary |
  /// | --- | --- | --- | --- |
  /// | `off` | – | no locations; with visits or zones ``stopsOnly`` | off, or asleep with position checks |
  /// | `standard` | no | level H | a location every second, never asleep |
  /// | `standard` | yes | by accuracy | asleep, position check after 15 min |
  /// | `significant` | – | after 500 m and 5 min, checked every 15 min | asleep, position check after 15 min |
  /// | `both` | yes, and by default | by accuracy | asleep, position check after 15 min |
  /// | `both` | no | as `standard` without pause | the same |
  ///
  /// By accuracy: `nav` and `best` are level H, `10m` and `100m` level S at 10 m and 20 m, `1km` and `3km` sparse at
  /// that distance. `standard` without pause uses level H with every finer accuracy, because only a receiver that may
  /// sleep gains by error-bounded sampling. With `1km` and `3km` it sleeps between fixes, moving or not.
  ///
  /// `resumeDistance` is the radius of `resume_with_geofence` in metres, nil for off. `pauseDelay` is the time
  /// without motion after which a device without motion sensor sleeps. With `both`, `pausesAutomatically` is false
  /// only if the operator set it.
  public init(
    trackingMode: TrackingMode, pausesAutomatically: Bool, desiredAccuracy: DesiredAccuracy,
    resumeDistance: Double? = nil, pauseDelay: Duration = .seconds(120), hasCyclicMode: Bool = false
  ) {
    switch trackingMode {
    case .off: self = .off
    case .standard where !pausesAutomatically, .both where !pausesAutomatically:
      self.init(moving: Self.awakeService(desiredAccuracy), stationary: .asMoving)
    case .standard, .both:
      self = Self.sleeping(desiredAccuracy, hasCyclicMode: hasCyclicMode)
      self.resumeDistance = resumeDistance
    case .significant: self = Self.significant
    }
    self.pauseDelay = pauseDelay
  }

  /// The tracking policy as the logger uses it; nil for a receiver that is always on and whose every fix is examined.
  /// With `off` it is ``stopsOnly`` if zones, visits or parking need positions, otherwise ``off``. With ``off`` the
  /// receiver wakes only for requests, and once after a start to get the time. `nav` never uses cyclic tracking.
  public static func desired(
    trackingMode: TrackingMode, pausesAutomatically: Bool, desiredAccuracy: DesiredAccuracy,
    resumeDistance: Double? = nil, hasCyclicMode: Bool = false, needsPositions: Bool = false
  ) -> TrackingPolicy? {
    switch (trackingMode, desiredAccuracy) {
    case (.off, _): return needsPositions ? .stopsOnly : .off
    case (.standard, .nav), (.standard, .best), (.standard, .metres10), (.standard, .metres100),
      (.both, .nav), (.both, .best), (.both, .metres10), (.both, .metres100):
      guard pausesAutomatically else { return nil }
    case (.standard, .kilometre1), (.standard, .kilometres3), (.both, .kilometre1), (.both, .kilometres3),
      (.significant, _):
      break
    }
    return TrackingPolicy(
      trackingMode: trackingMode, pausesAutomatically: pausesAutomatically, desiredAccuracy: desiredAccuracy,
      resumeDistance: resumeDistance, hasCyclicMode: hasCyclicMode && desiredAccuracy != .nav)
  }

  /// The policy for significant changes only: a location after 500 m, at least 5 min apart.
  public static let significant = TrackingPolicy(
    moving: .sparse(metres: 500, shortest: .seconds(300), check: .seconds(900)), stationary: checks)

  private static func awakeService(_ accuracy: DesiredAccuracy) -> MovingService {
    switch accuracy {
    case .nav, .best, .metres10, .metres100: .everySecond
    case .kilometre1: sparse(1000)
    case .kilometres3: sparse(3000)
    }
  }

  private static func sleeping(_ accuracy: DesiredAccuracy, hasCyclicMode: Bool) -> TrackingPolicy {
    var policy =
      switch accuracy {
      case .nav, .best: high
      case .metres10: within(metres: 10)
      case .metres100: within(metres: 20)
      case .kilometre1: TrackingPolicy(moving: sparse(1000), stationary: checks)
      case .kilometres3: TrackingPolicy(moving: sparse(3000), stationary: checks)
      }
    policy.usesCyclicMode = hasCyclicMode
    return policy
  }

  private static func sparse(_ metres: Double) -> MovingService {
    .sparse(metres: metres, shortest: .seconds(metres * 0.3), check: .seconds(metres * 0.9))
  }
}
