extension Configuration {
  /// The settings of automatic trips: those of `trip`. One that no layer gives has the value of `main`, because nobody
  /// chose another one for a trip that begins by itself. `trip.background_indicator` has a default of its own, so that the
  /// LED shows a trip; `trip.pause_automatically` concerns manual trips, and `trip.prevent_screen_lock` trips alone.
  public var automaticTrip: TripSettings {
    var trip = trip
    if !gives(Schema.tripDesiredAccuracy.path) { trip.desiredAccuracy = main.desiredAccuracy }
    if !gives(Schema.tripActivityType.path) { trip.activityType = main.activityType }
    if !gives(Schema.tripMinTime.path) { trip.minTime = main.minTime }
    if !gives(Schema.tripMinDistance.path) { trip.minDistanceMetres = main.minDistanceMetres }
    if !gives(Schema.tripLoggingMode.path) { trip.loggingMode = main.loggingMode }
    if !gives(Schema.tripBatchSize.path) { trip.batchSize = main.batchSize }
    return trip
  }

  /// The settings of trips: those of automatic trips, if trips begin automatically.
  public var usualTrip: TripSettings { trip.start == .automatic ? automaticTrip : trip }
}

extension Configuration {
  /// True if the usage profile `high-resolution` applies alone: it records every second while moving, and once a minute at
  /// rest. A configured interval or list of profiles overrides that.
  public var recordsSparselyAtRest: Bool {
    usageProfile == .highResolution && profiles.isEmpty && !gives(Schema.minTime.path)
      && !gives(Schema.minDistance.path) && !pausesWhileStationary
  }
}
