// Why settings of tracking have no effect; nil if they have one. The logger's tests compare this with its plans.

extension DesiredAccuracy {
  /// A receiver that may not sleep samples all the same.
  fileprivate var isSparse: Bool {
    switch self {
    case .kilometre1, .kilometres3: true
    case .nav, .best, .metres10, .metres100: false
    }
  }
}

extension Configuration {
  /// With `main.tracking_mode: off` something is watched for all the same.
  private var watchesWithoutPositions: Bool {
    main.tracksVisits || parking.delay != nil || !zones.isEmpty || driving.towDelay != nil
      || driving.speedLimit != nil || driving.idlingDelay != nil || trip.start == .automatic
  }

  private var sleepsOutsideTrips: Bool {
    switch main.trackingMode {
    case .off: watchesWithoutPositions
    case .standard, .both: pausesAtRest || main.desiredAccuracy.isSparse
    case .significant: true
    }
  }

  /// Trips that begin by themselves are recorded with `trip.desired_accuracy`, and sleep at rest as the mode has it.
  private var sleepsInTrips: Bool {
    if trip.desiredAccuracy.isSparse || trip.pausesAutomatically { return true }
    guard trip.start == .automatic else { return false }
    switch main.trackingMode {
    case .standard, .both: return pausesAtRest
    case .off, .significant: return true
    }
  }

  var receiverNeverSleeps: String? {
    sleepsOutsideTrips || sleepsInTrips
      ? nil
      : main.trackingMode == .off
        ? "main.tracking_mode is off" : "the receiver is always on: main.pause_automatically is false"
  }

  var keepsEachFix: String? {
    if sendsTrackingStats { return nil }
    switch main.trackingMode {
    case .off, .significant: return "main.tracking_mode is \(main.trackingMode.rawValue)"
    case .standard, .both:
      return sleepsOutsideTrips
        ? nil
        : "each fix is kept: main.tracking_mode is \(main.trackingMode.rawValue) and main.pause_automatically is false"
    }
  }

  var keepsEachFixOfTrips: String? {
    if sendsTrackingStats || sleepsInTrips { return nil }
    if main.trackingMode == .off, driving.speedLimit != nil || driving.idlingDelay != nil { return nil }
    return "each fix of a trip is kept: trip.pause_automatically is false"
  }

  /// A receiver that rests in any case cannot be told not to.
  var restsAnyhow: String? {
    guard !main.pausesAutomatically, !sendsTrackingStats else { return nil }
    switch main.trackingMode {
    case .standard, .both: return nil
    case .off: return "main.tracking_mode is off"
    case .significant: return "the receiver rests in any case: main.tracking_mode is significant"
    }
  }

  var withoutPause: String? {
    guard main.pausesAutomatically else { return "main.pause_automatically is false" }
    switch main.trackingMode {
    case .standard, .both: return nil
    case .off, .significant:
      return trip.start == .automatic ? nil : "main.tracking_mode is \(main.trackingMode.rawValue)"
    }
  }

  var withoutOwnThinning: String? {
    if main.trackingMode == .off { return "main.tracking_mode is off" }
    let conditions = profiles.map(\.when)
    return conditions.contains(.always) || conditions.contains(.moving) && conditions.contains(.stop)
      ? "one of profiles holds at all times" : nil
  }
}
