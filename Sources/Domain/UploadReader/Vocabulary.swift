import Quantities

/// The words of the wire format, in the order of their raw values.
enum Vocabulary {
  static let batteryStates = BatteryState.allCases.map(\.word)
  static let fixes = FixKind.allCases.map(\.word)
  static let accuracySources = AccuracySource.allCases.map(\.word)
  static let motion = MotionStates.words.map(\.word)
  /// The words of the device's view `location` for the origin of a time.
  static let clockQualities: [StaticString] = ["none", "saved", "clock chip", "network", "receiver"]
  /// The words of the device's view `location` for its recording rules.
  static let reasons: [StaticString] = [
    "event", "transition", "period", "distance", "angle", "speed", "ceiling", "beginning",
  ]
  /// The words of the device's view `trip` for its end.
  static let endings: [StaticString] = ["asked", "rest", "ignition", "no fix", "pause"]

  /// The words of Trace and of Overland for Android, as sets of motion states.
  static let motionOfOthers: [(word: StaticString, bits: Int32)] = [
    ("automotive", Int32(MotionStates.driving.rawValue)),
    ("in_vehicle", Int32(MotionStates.driving.rawValue)),
    ("on_bicycle", Int32(MotionStates.cycling.rawValue)), ("on_foot", Int32(MotionStates.walking.rawValue)),
    ("still", Int32(MotionStates.stationary.rawValue)), ("unknown", 0),
  ]
}
