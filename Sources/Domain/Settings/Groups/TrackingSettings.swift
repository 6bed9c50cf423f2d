import Quantities

/// The settings of recording and sending outside of trips (`main`).
public struct TrackingSettings: Equatable, Sendable {
  public var trackingMode: TrackingMode = Schema.trackingMode.fallback
  public var tracksVisits: Bool = Schema.visitTracking.fallback
  public var desiredAccuracy: DesiredAccuracy = Schema.desiredAccuracy.fallback
  public var activityType: ActivityType = Schema.activityType.fallback
  public var showsIndicator: Bool = Schema.backgroundIndicator.fallback
  public var pausesAutomatically: Bool = Schema.pauseAutomatically.fallback
  /// Radius of the geofence that resumes recording, in metres; nil if off.
  public var resumeRadiusMetres: Double? = Schema.resumeWithGeofence.fallback
  public var pauseDelay: Duration = Schema.pauseDelay.fallback
  public var requiredMotionDuration: Duration = Schema.requiredMotionDuration.fallback
  public var loggingMode: LoggingMode = Schema.loggingMode.fallback
  public var batchSize: Int = Schema.batchSize.fallback
  /// Minimum distance between two records in metres; nil if off.
  public var minDistanceMetres: Double? = Schema.minDistance.fallback
  public var minTime: Duration = Schema.minTime.fallback
  /// Worst horizontal accuracy of a record in metres; nil if off.
  public var maxAccuracyMetres: Double? = Schema.maxAccuracy.fallback
  /// Time after which the best of the poor fixes is recorded; nil for never.
  public var accuracyRetry: Duration? = Schema.accuracyRetry.fallback
  /// Speed in m/s below which a record shows 0; nil if off.
  public var quietSpeed: Double? = Schema.quietSpeed.fallback
  public var checkInterval: Duration = Schema.checkInterval.fallback
  public var checkLongest: Duration = Schema.checkLongest.fallback
  public var checkMetres: Double = Schema.checkDistance.fallback
  /// Distance in metres for which fixes may be deferred; nil if off.
  public var deferredMetres: Double? = Schema.deferred.fallback

  public init() {}
}

extension Schema {
  static let trackingMode = Of<TrackingMode>(
    "main.tracking_mode", \.main.trackingMode, .word, default: .standard, applies: .atOnce, effect: .always,
    fromServer: .device, alsoCalled: ["mode"],
    "Locations to record: off none, standard all, significant one per 500 m at most every 5 "
      + "minutes, both all while moving and few while stationary. significant uses the least charge. "
      + "With off, visits and trips are still recorded, and the receiver sleeps otherwise. If neither "
      + "is enabled, the receiver is on only for manual trips, check-ins, outrider send and one "
      + "search for the time after a start. Harsh driving is then reported as described at "
      + "driving.acceleration_mps2.")
  static let visitTracking = Of<Bool>(
    "main.visit_tracking", \.main.tracksVisits, .boolean, default: false, applies: .atOnce, effect: .always,
    fromServer: .device,
    "Records arrivals and departures, after about three minutes at a place. Visits are detected by "
      + "motion and the cheapest fixes.")
  static let desiredAccuracy = Of<DesiredAccuracy>(
    "main.desired_accuracy", \.main.desiredAccuracy, .word, default: .metres100, applies: .atOnce,
    effect: .requires(.sampling),
    fromServer: .device,
    "Desired accuracy of the track, which sets the duty cycle of the receiver. nav and best keep the "
      + "receiver on while moving. 10m and 100m sample so that the track stays within that distance or "
      + "better. 1km and 3km sample seldom and cost least.")
  static let activityType = Of<ActivityType>(
    "main.activity_type", \.main.activityType, .word, default: .other, applies: .atOnce, effect: .always,
    fromServer: .device,
    "Means of transport, for the receiver and for the detection of stops. A receiver that may be "
      + "configured is set to it, and a wrong value can cost fixes. fitness works up to 30 m/s, car up "
      + "to 100 m/s. At a stop, car waits 40 s for traffic lights, nav and air one minute, at the "
      + "receiver's full current. fitness reacts quickly and ignores the supply.")
  static let backgroundIndicator = Of<Bool>(
    "main.background_indicator", \.main.showsIndicator, .boolean, default: false, applies: .atOnce,
    effect: .requires(.light),
    fromServer: .device,
    "Shows by the light leds.status that recording is on. The light draws some milliamperes.")
  static let pauseAutomatically = Of<Bool>(
    "main.pause_automatically", \.main.pausesAutomatically, .boolean, default: false, applies: .atOnce,
    effect: .requires(.choiceOfPause),
    fromServer: .device,
    "Pauses recording and receiver while the device is stationary. Motion and sparse position "
      + "checks end the pause. main.tracking_mode both implies true unless this is given. With both, "
      + "false keeps recording while stationary, with the receiver on.")
  static let resumeWithGeofence = Of<Double?>(
    "main.resume_with_geofence", \.main.resumeRadiusMetres, .offOr(.distance(1...100_000)), default: nil,
    applies: .atOnce, effect: .requires(.pause), fromServer: .device,
    "Distance from the pause position at which a position check resumes recording without reported "
      + "motion. Motion that a sensor or the receiver's speed reports resumes it immediately, even "
      + "within that distance. Every check (main.check_interval) costs a start of the receiver. It "
      + "requires main.pause_automatically.")
  static let pauseDelay = Of<Duration>(
    "main.pause_delay", \.main.pauseDelay, .duration(.zero ... .days(1)), default: .seconds(120),
    applies: .atOnce, effect: .requires(.sleepingReceiver),
    "Time without motion before a pause. The receiver draws its full current for this time after "
      + "every stop. If this is not given, a motion sensor detects the end of motion in seconds and "
      + "main.activity_type sets the time. If it is given, it applies with every sensor.")
  static let requiredMotionDuration = Of<Duration>(
    "main.required_motion_duration", \.main.requiredMotionDuration, .duration(.zero ... .seconds(3600)),
    default: .zero, applies: .atOnce, effect: .requires(.sleepingReceiver),
    "Time that motion, or its end, must last before a receiver that may sleep is woken or put to "
      + "sleep. 0s leaves it to the evidence. A longer time saves false starts, but loses the start of "
      + "real ones. The receiver draws its full current for as long after every stop.")
  static let loggingMode = Of<LoggingMode>(
    "main.logging_mode", \.main.loggingMode, .word, default: .all, applies: .atOnce,
    effect: .requires(.sending(.loggingMode)),
    fromServer: .destination,
    "Records to send: all, latest (the newest location of every send) or owntracks (the same in "
      + "OwnTracks format). Trips, visits and history are kept with every value. The newest location "
      + "alone costs the least data.")
  static let batchSize = Of<Int>(
    "main.batch_size", \.main.batchSize, .integer(1...1000), default: 200, applies: .atOnce,
    effect: .requires(.sending(.batchSize)),
    fromServer: .destination,
    "Largest number of records in one request. If more are queued, the newest location is sent "
      + "beside them as current.")
  static let minDistance = Of<Double?>(
    "main.min_distance", \.main.minDistanceMetres, .offOr(.distance(0...100_000)), default: nil,
    applies: .atOnce, effect: .requires(.ownDecimation), fromServer: .device,
    "Shortest distance between two recorded locations. The first location after a start is recorded "
      + "in any case. Fewer locations cost less data; the receiver's charge depends on "
      + "main.tracking_mode.")
  static let minTime = Of<Duration>(
    "main.min_time", \.main.minTime, .duration(.zero ... .days(1)), default: .seconds(1), applies: .atOnce,
    effect: .requires(.ownDecimation),
    fromServer: .device,
    "Shortest time between two recorded locations. A location costs about 30 bytes to send "
      + "compressed, 400 bytes otherwise. Fractions of a second are possible.")
  static let maxAccuracy = Of<Double?>(
    "main.max_accuracy", \.main.maxAccuracyMetres, .offOr(.distance(1...100_000)), default: nil,
    applies: .atOnce, effect: .always, fromServer: .device,
    "Largest horizontal accuracy (radius) of a recorded location. Less accurate fixes are rejected "
      + "and counted. It costs no charge, and rejected fixes cost no data. Trace calls it minimum "
      + "accuracy and starts with 150m.")
  static let accuracyRetry = Of<Duration?>(
    "main.accuracy_retry", \.main.accuracyRetry, .offOr(.duration(.seconds(1) ... .seconds(3600))),
    default: nil, applies: .atOnce, effect: .requires(.maxAccuracy),
    "Time without a location as accurate as main.max_accuracy after which the best rejected one is "
      + "recorded. A receiver that may sleep waits as long at the end of a leg, at its full current.")
  static let quietSpeed = Of<Double?>(
    "main.quiet_speed_mps", \.main.quietSpeed, .offOr(.number(0.1...5, "m/s")), default: nil,
    applies: .atOnce, effect: .always,
    "Speed in m/s below which a record has speed 0 and no course, because both are noise. 0.5 suits "
      + "most receivers. Off keeps the receiver's values. It costs nothing.")
  static let deferred = Of<Double?>(
    "main.deferred", \.main.deferredMetres, .offOr(.distance(1...100_000)), default: nil, applies: .atOnce,
    effect: .requires(.deferral),
    "Distance after which the host wakes to read the fixes collected meanwhile. Off wakes it for "
      + "every fix. The fixes wait in the memory of a u-blox that supports it (M10, at 38,400 baud or "
      + "more), up to 5 minutes. Otherwise they wait in the serial buffer, up to 20 s and 2,700 "
      + "bytes. A power cut loses the fixes not read yet. It saves wake-ups, not locations; the "
      + "wake-up of any sensor reads them, too.")
  static let checkInterval = Of<Duration>(
    "main.check_interval", \.main.checkInterval, .duration(.seconds(60) ... .days(1)),
    default: .seconds(900), applies: .atOnce, effect: .requires(.sleepingReceiver),
    "Time from the stop to the first position check, which detects an unnoticed departure. Every "
      + "check doubles the interval, up to main.check_longest. A check costs a start of the receiver, "
      + "about 5 to 30 s of its current. Without a motion sensor, the checks come every 3 minutes unless "
      + "this is given.")
  static let checkLongest = Of<Duration>(
    "main.check_longest", \.main.checkLongest, .duration(.seconds(60) ... .days(7)),
    default: .seconds(4 * 3600), applies: .atOnce, effect: .requires(.sleepingReceiver),
    "Longest time between two position checks while stationary. A value below main.check_interval "
      + "keeps that interval.")
  static let checkDistance = Of<Double>(
    "main.check_distance", \.main.checkMetres, .distance(30...100_000), default: 500, applies: .atOnce,
    effect: .requires(.sleepingReceiver),
    "Distance from the stop, beyond the horizontal accuracy of both fixes, at which a position check "
      + "resumes recording. Without a motion sensor, 30m applies. A smaller distance detects a departure "
      + "sooner, but takes a poor fix for one.")
}

extension TrackingSettings {
  /// The declarations in the order of the reference.
  static let declared: [any SettingDeclaration<Configuration>] = [
    Schema.trackingMode, Schema.visitTracking, Schema.desiredAccuracy, Schema.activityType,
    Schema.backgroundIndicator, Schema.pauseAutomatically, Schema.resumeWithGeofence, Schema.pauseDelay,
    Schema.requiredMotionDuration, Schema.loggingMode, Schema.batchSize, Schema.minDistance, Schema.minTime,
    Schema.maxAccuracy, Schema.accuracyRetry, Schema.quietSpeed, Schema.deferred, Schema.checkInterval,
    Schema.checkLongest, Schema.checkDistance,
  ]
}
