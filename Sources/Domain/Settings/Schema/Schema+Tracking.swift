import Quantities

// Settings of recording, with the names of Overland's settings.

extension Schema {
  static let tracking = Of<Bool>(
    "tracking", \.isTracking, .boolean, default: true, applies: .atOnce, effect: .always,
    "Master switch of tracking. false ends a running trip, puts the receiver to sleep, and stores "
      + "and sends nothing. Only the local API still answers. outrider start and outrider stop change "
      + "it; servers cannot.")
  static let usageProfile = Of<UsageProfile?>(
    "usage_profile", \.usageProfile, .offOr(.word), default: nil, applies: .atOnce, effect: .always,
    "Preset of settings that replaces defaults and the board's values. high-resolution records "
      + "without pauses and uses the most charge. battery-saving pauses while stationary and resumes "
      + "on motion or 500 m away. Its records keep the track within 50 m of the true one. "
      + "significant-only records a location after 500 m, at least 5 minutes apart. Settings that you "
      + "give override the preset.")
  static let trackingStats = Of<Bool>(
    "tracking_stats", \.sendsTrackingStats, .boolean, default: false, applies: .atOnce, effect: .always,
    "Adds the tracking settings to locations, and stores actions such as pauses and their ends as "
      + "records. It costs about 130 bytes per location without compression.")
  static let uniqueID = Of<Bool>(
    "unique_id", \.sendsUniqueID, .boolean, default: false, applies: .atOnce,
    effect: .requires(.identityDestination),
    "Adds an identity of this installation to records. It is derived from the machine-id and does "
      + "not reveal it. It costs about 50 bytes per record without compression.")
  static let notifications = Of<NotificationHook?>(
    "notifications", \.notifications, .offOr(.notificationHook), default: nil, applies: .atOnce,
    effect: .requires(.notificationProgram),
    "Program, unit or URL that is called with every event of trips, visits, zones, parking, towing, "
      + "ignition, power and the automatic pause.")

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
  static let deferred = Of<Double?>(
    "main.deferred", \.main.deferredMetres, .offOr(.distance(1...100_000)), default: nil, applies: .atOnce,
    effect: .requires(.deferral),
    "Distance after which the host wakes to read the fixes collected meanwhile. Off wakes it for "
      + "every fix. The fixes wait in the memory of a u-blox that supports it (M10, at 38,400 baud or "
      + "more), up to 5 minutes. Otherwise they wait in the serial buffer, up to 20 s and 2,700 "
      + "bytes. A power cut loses the fixes not read yet. It saves wake-ups, not locations; the "
      + "wake-up of any sensor reads them, too.")

  static let tripMode = Of<TripMode>(
    "trip_mode", \.tripMode, .word, default: .bicycle, applies: .atOnce, effect: .always, fromServer: .device,
    "Mode of transport of the running trip and of later ones.")
  static let tripStart = Of<TripStart>(
    "trip.start", \.trip.start, .word, default: .manual, applies: .atOnce, effect: .always,
    "Start of trips: manual by a person or program only, automatic also with every drive. An "
      + "automatic trip has trip_mode as its mode and ends after five minutes stationary. Every trip "
      + "costs two events and a record.")
  static let tripDesiredAccuracy = Of<DesiredAccuracy>(
    "trip.desired_accuracy", \.trip.desiredAccuracy, .word, default: .metres100, applies: .atOnce,
    effect: .requires(.tripSampling),
    fromServer: .device,
    "main.desired_accuracy during a trip. A manual trip is recorded without pauses, with the "
      + "receiver on except for 1km and 3km. In an automatic trip, a receiver that may sleep does so at "
      + "every stop.")
  static let tripActivityType = Of<ActivityType>(
    "trip.activity_type", \.trip.activityType, .word, default: .other, applies: .atOnce, effect: .always,
    fromServer: .device,
    "main.activity_type during a trip. The receiver is set to it when the trip starts, and set back "
      + "when it ends.")
  static let tripBackgroundIndicator = Of<Bool>(
    "trip.background_indicator", \.trip.showsIndicator, .boolean, default: true, applies: .atOnce,
    effect: .requires(.light),
    fromServer: .device, "main.background_indicator during a trip.")
  static let tripPreventScreenLock = Of<Bool>(
    "trip.prevent_screen_lock", \.trip.preventsScreenLock, .boolean, default: false, applies: .atOnce,
    effect: .always,
    fromServer: .device,
    "Keeps the host awake during a trip, by a sleep inhibitor (systemd-inhibit). It costs the whole "
      + "idle current of the host. It requires a user who may take the inhibitor (polkit).")
  static let tripPauseAutomatically = Of<Bool>(
    "trip.pause_automatically", \.trip.pausesAutomatically, .boolean, default: false, applies: .atOnce,
    effect: .always,
    "Ends a manual trip when an automatic pause begins. Otherwise the trip is recorded through every "
      + "stop, with the receiver on.")
  static let tripLoggingMode = Of<LoggingMode>(
    "trip.logging_mode", \.trip.loggingMode, .word, default: .all, applies: .atOnce,
    effect: .requires(.sending(.tripLoggingMode)),
    fromServer: .destination, "main.logging_mode during a trip.")
  static let tripBatchSize = Of<Int>(
    "trip.batch_size", \.trip.batchSize, .integer(1...1000), default: 200, applies: .atOnce,
    effect: .requires(.sending(.tripBatchSize)),
    fromServer: .destination, "main.batch_size during a trip.")
  static let tripMinDistance = Of<Double?>(
    "trip.min_distance", \.trip.minDistanceMetres, .offOr(.distance(0...100_000)), default: nil,
    applies: .atOnce, effect: .requires(.tripDecimation), fromServer: .device,
    "main.min_distance during a trip. Trips are recorded even if main.tracking_mode is off.")
  static let tripMinTime = Of<Duration>(
    "trip.min_time", \.trip.minTime, .duration(.zero ... .days(1)), default: .seconds(1), applies: .atOnce,
    effect: .requires(.tripDecimation),
    fromServer: .device, "main.min_time during a trip.")
}
