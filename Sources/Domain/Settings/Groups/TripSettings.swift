import Quantities

/// The settings of trips (`trip`).
public struct TripSettings: Equatable, Sendable {
  public var start: TripStart = Schema.tripStart.fallback
  public var desiredAccuracy: DesiredAccuracy = Schema.tripDesiredAccuracy.fallback
  public var activityType: ActivityType = Schema.tripActivityType.fallback
  public var showsIndicator: Bool = Schema.tripBackgroundIndicator.fallback
  public var preventsScreenLock: Bool = Schema.tripPreventScreenLock.fallback
  public var pausesAutomatically: Bool = Schema.tripPauseAutomatically.fallback
  public var loggingMode: LoggingMode = Schema.tripLoggingMode.fallback
  public var batchSize: Int = Schema.tripBatchSize.fallback
  /// Minimum distance between two records in metres; nil if off.
  public var minDistanceMetres: Double? = Schema.tripMinDistance.fallback
  public var minTime: Duration = Schema.tripMinTime.fallback

  public init() {}
}

extension Schema {
  static let tripStart = Of<TripStart>(
    "trip.start", \.trip.start, .word, default: .manual, applies: .atOnce, effect: .always,
    "Start of trips: manual by a person or program only, automatic also with every drive. An "
      + "automatic trip has trip_mode as its mode if that is given, otherwise the mode of its motion. It "
      + "ends after five minutes stationary. Every trip costs two events and a record.")
  static let tripDesiredAccuracy = Of<DesiredAccuracy>(
    "trip.desired_accuracy", \.trip.desiredAccuracy, .word, default: .metres100, applies: .atOnce,
    effect: .requires(.tripSampling),
    fromServer: .device,
    "main.desired_accuracy during a trip. Automatic trips have the value of main unless this is given. A "
      + "manual trip is recorded without pauses, with the receiver on except for 1km and 3km. In an "
      + "automatic trip, a receiver that may sleep does so at every stop.")
  static let tripActivityType = Of<ActivityType>(
    "trip.activity_type", \.trip.activityType, .word, default: .other, applies: .atOnce, effect: .always,
    fromServer: .device,
    "main.activity_type during a trip. With trip.start automatic, the value of main applies unless this is "
      + "given. The receiver is set to it when the trip starts, and set back "
      + "when it ends.")
  static let tripBackgroundIndicator = Of<Bool>(
    "trip.background_indicator", \.trip.showsIndicator, .boolean, default: true, applies: .atOnce,
    effect: .requires(.light),
    fromServer: .device,
    "main.background_indicator during a trip, manual or automatic. It has a default of its own, so that the "
      + "LED shows a trip.")
  static let tripPreventScreenLock = Of<Bool>(
    "trip.prevent_screen_lock", \.trip.preventsScreenLock, .boolean, default: false, applies: .atOnce,
    effect: .always,
    fromServer: .device,
    "Keeps the host awake during a trip, by a sleep inhibitor (systemd-inhibit). It costs the whole "
      + "idle current of the host. It requires a user who may take the inhibitor (polkit). main has no such "
      + "setting.")
  static let tripPauseAutomatically = Of<Bool>(
    "trip.pause_automatically", \.trip.pausesAutomatically, .boolean, default: false, applies: .atOnce,
    effect: .always,
    "Ends a manual trip when an automatic pause begins. Otherwise the trip is recorded through every "
      + "stop, with the receiver on. An automatic trip pauses by main.pause_automatically.")
  static let tripLoggingMode = Of<LoggingMode>(
    "trip.logging_mode", \.trip.loggingMode, .word, default: .all, applies: .atOnce,
    effect: .requires(.sending(.tripLoggingMode)),
    fromServer: .destination,
    "main.logging_mode during a trip. With trip.start automatic, the value of main applies unless this is "
      + "given.")
  static let tripBatchSize = Of<Int>(
    "trip.batch_size", \.trip.batchSize, .integer(1...1000), default: 200, applies: .atOnce,
    effect: .requires(.sending(.tripBatchSize)),
    fromServer: .destination,
    "main.batch_size during a trip. With trip.start automatic, the value of main applies unless this is given."
  )
  static let tripMinDistance = Of<Double?>(
    "trip.min_distance", \.trip.minDistanceMetres, .offOr(.distance(0...100_000)), default: nil,
    applies: .atOnce, effect: .requires(.tripDecimation), fromServer: .device,
    "main.min_distance during a trip. Trips are recorded even if main.tracking_mode is off. With trip.start "
      + "automatic, the value of main applies unless this is given.")
  static let tripMinTime = Of<Duration>(
    "trip.min_time", \.trip.minTime, .duration(.zero ... .days(1)), default: .seconds(1), applies: .atOnce,
    effect: .requires(.tripDecimation),
    fromServer: .device,
    "main.min_time during a trip. With trip.start automatic, the value of main applies unless this is given.")
}

extension TripSettings {
  /// The declarations in the order of the reference.
  static let declared: [any SettingDeclaration<Configuration>] = [
    Schema.tripStart, Schema.tripDesiredAccuracy, Schema.tripActivityType, Schema.tripBackgroundIndicator,
    Schema.tripPreventScreenLock, Schema.tripPauseAutomatically, Schema.tripLoggingMode, Schema.tripBatchSize,
    Schema.tripMinDistance, Schema.tripMinTime,
  ]
}
