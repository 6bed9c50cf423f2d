import Quantities

// Reasons why settings of tracking have no effect; nil if they have one. The logger's tests compare them with its
// schedules.

extension DesiredAccuracy {
  /// True if even a receiver that may not sleep samples.
  fileprivate var isSparse: Bool {
    switch self {
    case .kilometre1, .kilometres3: true
    case .nav, .best, .metres10, .metres100: false
    }
  }
}

extension Configuration {
  /// True if something requires fixes even with `main.tracking_mode: off`.
  private var watchesWithoutPositions: Bool {
    main.tracksVisits || parking.delay != nil || !zones.isEmpty || driving.towDelay != nil
      || driving.speedLimit != nil || driving.idlingDelay != nil || trip.start == .automatic
  }

  private var sleepsOutsideTrips: Bool {
    switch main.trackingMode {
    case .off: watchesWithoutPositions
    case .standard, .both: pausesWhileStationary || main.desiredAccuracy.isSparse
    case .significant: true
    }
  }

  /// True if the receiver sleeps during trips. Automatic trips are recorded with `trip.desired_accuracy`; while stationary,
  /// the receiver sleeps as the tracking mode determines.
  private var sleepsInTrips: Bool {
    if trip.desiredAccuracy.isSparse || usualTrip.desiredAccuracy.isSparse || trip.pausesAutomatically {
      return true
    }
    guard trip.start == .automatic else { return false }
    switch main.trackingMode {
    case .standard, .both: return pausesWhileStationary
    case .off, .significant: return true
    }
  }

  var receiverNeverSleeps: String? {
    sleepsOutsideTrips || sleepsInTrips
      ? nil
      : main.trackingMode == .off
        ? "main.tracking_mode is off"
        : "the receiver is always on with main.pause_automatically: false"
  }

  /// True if automatic trips have a value of `main`, because that of `trip` is not given.
  func isForTrips(unless path: String) -> Bool { trip.start == .automatic && !gives(path) }

  var keepsEachFix: String? {
    if sendsTrackingStats { return nil }
    if isForTrips(unless: Schema.tripDesiredAccuracy.path), keepsEachFixOfTrips == nil { return nil }
    switch main.trackingMode {
    case .off, .significant: return "main.tracking_mode is \(main.trackingMode.rawValue)"
    case .standard, .both:
      return sleepsOutsideTrips
        ? nil
        : "every fix is recorded with main.tracking_mode: \(main.trackingMode.rawValue) "
          + "and main.pause_automatically: false"
    }
  }

  var keepsEachFixOfTrips: String? {
    if sendsTrackingStats || sleepsInTrips { return nil }
    if main.trackingMode == .off, driving.speedLimit != nil || driving.idlingDelay != nil { return nil }
    return "every fix of a trip is recorded with trip.pause_automatically: false"
  }

  /// The reason why `main.pause_automatically: false` has no effect: the receiver sleeps in any case.
  var sleepsInAnyCase: String? {
    guard !main.pausesAutomatically, !sendsTrackingStats else { return nil }
    switch main.trackingMode {
    case .standard, .both: return nil
    case .off: return "main.tracking_mode is off"
    case .significant: return "the receiver sleeps in any case with main.tracking_mode: significant"
    }
  }

  var withoutPause: String? {
    guard main.pausesAutomatically || pausesWhileStationary else {
      return "main.pause_automatically is false"
    }
    switch main.trackingMode {
    case .standard, .both: return nil
    case .off, .significant:
      return trip.start == .automatic ? nil : "main.tracking_mode is \(main.trackingMode.rawValue)"
    }
  }

  var withoutOwnDecimation: String? {
    if isForTrips(unless: Schema.tripMinTime.path) || isForTrips(unless: Schema.tripMinDistance.path) {
      return nil
    }
    if main.trackingMode == .off { return "main.tracking_mode is off" }
    let conditions = profiles.map(\.when)
    return conditions.contains(.always) || conditions.contains(.moving) && conditions.contains(.stop)
      ? "one of the profiles applies at all times" : nil
  }
}
