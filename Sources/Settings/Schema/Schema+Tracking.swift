import Quantities

// What is recorded, in the words of Overland's settings.

extension Schema {
  static let tracking = Of<Bool>(
    "tracking", \.isTracking, .boolean, default: true, applies: .atOnce, effect: .always,
    "Master switch: false ends a running trip, lets the receiver rest, stores nothing and sends nothing, and only the "
      + "local API answers. A phone begins with it off, a box with it on; outrider start and outrider stop turn it, no "
      + "server does."
  )
  static let usageProfile = Of<UsageProfile?>(
    "usage_profile", \.usageProfile, .offOr(.word), default: nil, applies: .atOnce, effect: .always,
    "Settings under one word, in the place of defaults and board's: high-resolution records without pause (most charge), "
      + "battery-saving pauses when still, resumes when it moves or is 500 m away, and keeps the line through its records "
      + "within 50 m of the true one, significant-only records considerable moves. Settings that are given themselves win "
      + "over it.")
  static let trackingStats = Of<Bool>(
    "tracking_stats", \.sendsTrackingStats, .boolean, default: false, applies: .atOnce, effect: .always,
    "Whether positions tell the settings they were taken under, and pauses and ends are sent as records; about 130 "
      + "bytes a position without compression.")
  static let uniqueID = Of<Bool>(
    "unique_id", \.sendsUniqueID, .boolean, default: false, applies: .atOnce,
    effect: .requires(.identityDestination),
    "Whether records carry an identity of this installation. It is derived from the machine's and does not reveal it; a "
      + "phone makes one up when the app is installed. Some 50 bytes a record without compression.")
  static let notifications = Of<NotificationHook?>(
    "notifications", \.notifications, .offOr(.notificationHook), default: nil, applies: .atOnce,
    effect: .requires(.notificationProgram),
    "Program or URL that is called with each event of trips, visits, zones, power and the automatic pause, where a phone shows "
      + "a message."
  )

  static let trackingMode = Of<TrackingMode>(
    "main.tracking_mode", \.main.trackingMode, .word, default: .standard, applies: .atOnce, effect: .always,
    fromServer: .device, alsoCalled: ["mode"],
    "Which positions are recorded: off none, standard all, significant only after a considerable move (least charge), "
      + "both all while moving and few while still. With off visits and trips are still recorded, other than on a phone, "
      + "and the receiver sleeps but for them; where neither is wished for it is off, but for a trip by hand, a check-in, "
      + "outrider send and one search for the time after a start, and harsh driving is told as driving.acceleration_mps2 "
      + "says."
  )
  static let visitTracking = Of<Bool>(
    "main.visit_tracking", \.main.tracksVisits, .boolean, default: false, applies: .atOnce, effect: .always,
    fromServer: .device,
    "Whether arrivals and departures are recorded, after about three minutes at a place; a phone asks its system for "
      + "them, the box decides by motion and the cheapest fixes.")
  static let desiredAccuracy = Of<DesiredAccuracy>(
    "main.desired_accuracy", \.main.desiredAccuracy, .word, default: .metres100, applies: .atOnce,
    effect: .requires(.sampling),
    fromServer: .device,
    "How exact the track should be. On a box it sets the receiver's duty: nav and best keep it on while moving, 10m and "
      + "100m sample so that the track stays that near or better, 1km and 3km sample seldom and cost least.")
  static let activityType = Of<ActivityType>(
    "main.activity_type", \.main.activityType, .word, default: .other, applies: .atOnce, effect: .always,
    fromServer: .device,
    "What the box moves with. A receiver that may be set up is told, and a wrong word can cost it its fixes: fitness ends "
      + "at 30 m/s, car at 100 m/s. It also sets how a stop is told: car waits 40 s for traffic lights, nav and air for a "
      + "minute, at the receiver's full current; fitness is quick and heeds no supply.")
  static let backgroundIndicator = Of<Bool>(
    "main.background_indicator", \.main.showsIndicator, .boolean, default: false, applies: .atOnce,
    effect: .requires(.light),
    fromServer: .device,
    "Whether recording is shown: by a phone at the top of its screen, by a box with the light leds.status, which draws "
      + "some milliamperes.")
  static let pauseAutomatically = Of<Bool>(
    "main.pause_automatically", \.main.pausesAutomatically, .boolean, default: false, applies: .atOnce,
    effect: .requires(.choiceOfPause),
    fromServer: .device,
    "Whether receiver and recording rest while nothing moves. A phone that paused may stay so until it is taken up; the "
      + "box wakes on motion and by sparse checks. With main.tracking_mode both it is on unless it is given: false then "
      + "records on at rest, with the receiver on.")
  static let resumeWithGeofence = Of<Double?>(
    "main.resume_with_geofence", \.main.resumeRadiusMetres, .offOr(.distance(1...100_000)), default: nil,
    applies: .atOnce, effect: .requires(.pause), fromServer: .device,
    "Distance from the place of a pause at which a position check resumes recording, although no sensor tells of motion; "
      + "motion that a sensor or the receiver's speed tells resumes it at once, within that distance, too. Each check "
      + "(main.check_interval) costs a start of the receiver, where a phone's system watches the region. Wants "
      + "main.pause_automatically, which a phone switches on with it.")
  static let pauseDelay = Of<Duration>(
    "main.pause_delay", \.main.pauseDelay, .duration(.zero ... .days(1)), default: .seconds(120),
    applies: .atOnce, effect: .requires(.sleepingReceiver),
    "How long nothing must move before a pause. A phone's system decides, in about ten minutes; the receiver draws its "
      + "full current so long after each stop. Unless it is set, a motion sensor tells the end of motion in seconds, and the time is "
      + "that of main.activity_type; if it is set, it counts with every sensor.")
  static let requiredMotionDuration = Of<Duration>(
    "main.required_motion_duration", \.main.requiredMotionDuration, .duration(.zero ... .seconds(3600)),
    default: .zero, applies: .atOnce, effect: .requires(.sleepingReceiver),
    "How long motion, or its end, must hold before a receiver that may sleep is woken or let sleep, as Trace has it; 0s "
      + "leaves it to the evidence. Longer saves false starts, loses the beginning of real ones and draws the receiver's "
      + "full current for as long after each stop. A phone decides by itself.")
  static let loggingMode = Of<LoggingMode>(
    "main.logging_mode", \.main.loggingMode, .word, default: .all, applies: .atOnce,
    effect: .requires(.sending(.loggingMode)),
    fromServer: .destination,
    "Which records are sent: all, the latest position of each send, or owntracks, the latest in the form of OwnTracks. "
      + "A phone empties its queue for the latest; the box keeps trips, visits and history. The latest alone costs the "
      + "least data.")
  static let batchSize = Of<Int>(
    "main.batch_size", \.main.batchSize, .integer(1...1000), default: 200, applies: .atOnce,
    effect: .requires(.sending(.batchSize)),
    fromServer: .destination,
    "Most records in one request. Above it the newest position is sent beside them as current, as the app does; its "
      + "manual says above two of them.")
  static let minDistance = Of<Double?>(
    "main.min_distance", \.main.minDistanceMetres, .offOr(.distance(0...100_000)), default: nil,
    applies: .atOnce, effect: .requires(.ownThinning), fromServer: .device,
    "Shortest distance between two kept positions. The phone's switch drops everything after a fresh start; the box keeps "
      + "the first position. Fewer positions cost less data; the receiver's charge is that of main.tracking_mode."
  )
  static let minTime = Of<Duration>(
    "main.min_time", \.main.minTime, .duration(.zero ... .days(1)), default: .seconds(1), applies: .atOnce,
    effect: .requires(.ownThinning),
    fromServer: .device,
    "Shortest time between two kept positions; a position costs some 30 bytes to send compressed, 400 otherwise. A phone "
      + "counts whole seconds from 1 s up; the box takes fractions too."
  )
  static let maxAccuracy = Of<Double?>(
    "main.max_accuracy", \.main.maxAccuracyMetres, .offOr(.distance(1...100_000)), default: nil,
    applies: .atOnce, effect: .always, fromServer: .device,
    "Largest radius of uncertainty that a kept position may have; what is less exact is counted and left out. Trace calls "
      + "it the minimum accuracy and begins with 150m. It costs no charge, and what is left out no data.")
  static let deferred = Of<Double?>(
    "main.deferred", \.main.deferredMetres, .offOr(.distance(1...100_000)), default: nil, applies: .atOnce,
    effect: .requires(.deferral),
    "Distance after which the host wakes for the positions that gathered meanwhile; off wakes it for each. They wait in "
      + "the memory of a u-blox that keeps them (M10, on a line of 38,400 baud or more), up to 5 minutes, else in the "
      + "serial line's buffer, up to 20 s and 2,700 bytes; a power cut loses so much more. Saves wake-ups, not positions; "
      + "any sensor's wake-up takes them too. Phones have lost this setting.")

  static let tripMode = Of<TripMode>(
    "trip_mode", \.tripMode, .word, default: .bicycle, applies: .atOnce, effect: .always, fromServer: .device,
    "What trips are made with, for the running one and those to come.")
  static let tripStart = Of<TripStart>(
    "trip.start", \.trip.start, .word, default: .manual, applies: .atOnce, effect: .always,
    "Who begins trips: manual leaves them to a person or a program, automatic begins one with each drive as well and ends it "
      + "after five minutes' rest, with trip_mode as its mode. A phone knows manual ones only; each costs two events and a "
      + "record.")
  static let tripDesiredAccuracy = Of<DesiredAccuracy>(
    "trip.desired_accuracy", \.trip.desiredAccuracy, .word, default: .metres100, applies: .atOnce,
    effect: .requires(.tripSampling),
    fromServer: .device,
    "main.desired_accuracy during a trip. One by hand is recorded without pause, with the receiver on but for 1km and 3km; "
      + "in one that began by itself a receiver that may sleep does so at each rest.")
  static let tripActivityType = Of<ActivityType>(
    "trip.activity_type", \.trip.activityType, .word, default: .other, applies: .atOnce, effect: .always,
    fromServer: .device,
    "main.activity_type during a trip: the receiver is told at its start and at its end.")
  static let tripBackgroundIndicator = Of<Bool>(
    "trip.background_indicator", \.trip.showsIndicator, .boolean, default: true, applies: .atOnce,
    effect: .requires(.light),
    fromServer: .device, "main.background_indicator during a trip.")
  static let tripPreventScreenLock = Of<Bool>(
    "trip.prevent_screen_lock", \.trip.preventsScreenLock, .boolean, default: false, applies: .atOnce,
    effect: .always,
    fromServer: .device,
    "Keeps a phone's screen on during a trip; on a box systemd-inhibit holds a lock, so that the host does not sleep, which "
      + "costs the host's whole idle current. Wants a user who may take it (polkit).")
  static let tripPauseAutomatically = Of<Bool>(
    "trip.pause_automatically", \.trip.pausesAutomatically, .boolean, default: false, applies: .atOnce,
    effect: .always,
    "Whether a pause ends a trip that was begun by hand, as main.pause_automatically has it; else it is recorded through "
      + "each rest, with the receiver on. A phone's trip ends so too.")
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
    applies: .atOnce, effect: .requires(.tripThinning), fromServer: .device,
    "main.min_distance during a trip, which the box records also while main.tracking_mode is off; a phone does not."
  )
  static let tripMinTime = Of<Duration>(
    "trip.min_time", \.trip.minTime, .duration(.zero ... .days(1)), default: .seconds(1), applies: .atOnce,
    effect: .requires(.tripThinning),
    fromServer: .device, "main.min_time during a trip.")
}
