import Quantities
import Settings

extension ReceiverScheme {
  /// The operator's words as a plan: `tracking_mode` × `pause_automatically` × `desired_accuracy`.
  ///
  /// | `tracking_mode` | pause | moving | at rest |
  /// | --- | --- | --- | --- |
  /// | `off` | – | nothing; where visits or zones are watched for, ``stays`` | off, or asleep and checks |
  /// | `standard` | no | level H | a record a second, never asleep |
  /// | `standard` | yes | by accuracy | asleep, a check each 15 min |
  /// | `significant` | – | 500 m and 5 min, a check each 15 min | asleep, a check each 15 min |
  /// | `both` | yes, and by default | by accuracy | asleep, a check each 15 min |
  /// | `both` | no | as `standard` without pause | the same |
  ///
  /// By accuracy: `nav` and `best` are level H, `10m` and `100m` level S at 10 m and 20 m, `1km` and `3km` sparse duty
  /// at that distance. Plain `standard` keeps level H whatever the accuracy, for only a receiver that may sleep gains
  /// by error-bounded sampling; with `1km` and `3km` it sleeps between its looks, moving or not.
  ///
  /// `resumeDistance` is the fence of `resume_with_geofence` in metres, nil for off; `pauseDelay` how long nothing may
  /// move before a box without motion sensor sleeps. With `both`, `pausesAutomatically` is false only if the operator
  /// says so.
  public init(
    trackingMode: TrackingMode, pausesAutomatically: Bool, desiredAccuracy: DesiredAccuracy,
    resumeDistance: Double? = nil, pauseDelay: Duration = .seconds(120), hasCyclicMode: Bool = false
  ) {
    switch trackingMode {
    case .off: self = .off
    case .standard where !pausesAutomatically, .both where !pausesAutomatically:
      self.init(moving: Self.awakeService(desiredAccuracy), resting: .asMoving)
    case .standard, .both:
      self = Self.sleeping(desiredAccuracy, hasCyclicMode: hasCyclicMode)
      self.resumeDistance = resumeDistance
    case .significant: self = Self.significant
    }
    self.pauseDelay = pauseDelay
  }

  /// The same as the logger runs it: nil for a receiver that is always on and whose every fix is looked at. With `off` the
  /// plan ``stays`` runs where places are watched for, and ``off`` elsewhere: then the receiver wakes for who asks for a
  /// position, and once after a start to learn the time. `nav` is never tracked in cyclic mode.
  public static func wished(
    trackingMode: TrackingMode, pausesAutomatically: Bool, desiredAccuracy: DesiredAccuracy,
    resumeDistance: Double? = nil, hasCyclicMode: Bool = false, watchesPlaces: Bool = false
  ) -> ReceiverScheme? {
    switch (trackingMode, desiredAccuracy) {
    case (.off, _): return watchesPlaces ? .stays : .off
    case (.standard, .nav), (.standard, .best), (.standard, .metres10), (.standard, .metres100),
      (.both, .nav), (.both, .best), (.both, .metres10), (.both, .metres100):
      guard pausesAutomatically else { return nil }
    case (.standard, .kilometre1), (.standard, .kilometres3), (.both, .kilometre1), (.both, .kilometres3),
      (.significant, _):
      break
    }
    return ReceiverScheme(
      trackingMode: trackingMode, pausesAutomatically: pausesAutomatically, desiredAccuracy: desiredAccuracy,
      resumeDistance: resumeDistance, hasCyclicMode: hasCyclicMode && desiredAccuracy != .nav)
  }

  /// Significant changes alone.
  public static let significant = ReceiverScheme(
    moving: .sparse(metres: 500, shortest: .seconds(300), check: .seconds(900)), resting: checks)

  private static func awakeService(_ accuracy: DesiredAccuracy) -> MovingService {
    switch accuracy {
    case .nav, .best, .metres10, .metres100: .everySecond
    case .kilometre1: sparse(1000)
    case .kilometres3: sparse(3000)
    }
  }

  private static func sleeping(_ accuracy: DesiredAccuracy, hasCyclicMode: Bool) -> ReceiverScheme {
    var scheme =
      switch accuracy {
      case .nav, .best: high
      case .metres10: within(metres: 10)
      case .metres100: within(metres: 20)
      case .kilometre1: ReceiverScheme(moving: sparse(1000), resting: checks)
      case .kilometres3: ReceiverScheme(moving: sparse(3000), resting: checks)
      }
    scheme.usesCyclicMode = hasCyclicMode
    return scheme
  }

  private static func sparse(_ metres: Double) -> MovingService {
    .sparse(metres: metres, shortest: .seconds(metres * 0.3), check: .seconds(metres * 0.9))
  }
}
