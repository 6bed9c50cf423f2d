import Quantities
import Records

/// Creates reconstructed trips: trips of which only the two ends are known.
extension Tracker {
  /// The beginning of the movement that led to a fix, as known before the fix.
  struct Departure {
    /// True if the schedule was tracking a movement already.
    var isUnderWay: Bool
    /// Start of motion by a sensor that no fix had confirmed.
    var motionBegan: Moment?
    /// Start of the trip that was running.
    var trip: Instant?
  }

  var departure: Departure {
    Departure(
      isUnderWay: plan?.isUnderWay ?? false, motionBegan: plan?.motionBegan,
      trip: places.trips.running?.start)
  }

  /// Passes a fix that passed the filters to ``TripReconstruction``, after the trips have processed it.
  mutating func noteEnds(_ candidate: Candidate, _ departure: Departure) {
    // An ignition line shows which movements are the vehicle's own, and wakes the receiver for them.
    guard plan != nil || reconstruction.isPending, evidence.ignition == nil, !places.isHidden,
      !hidesRecord(of: candidate.sample)
    else {
      reconstruction = TripReconstruction()
      return
    }
    guard case .location(var location) = record(of: candidate, reasons: .period).body else { return }
    (location.trip, location.steps, location.statistics) = (nil, nil, nil)
    let goesOn = departure.trip != nil && departure.trip == places.trips.running?.start
    reconstruction.take(
      TripReconstruction.Position(sample: candidate.sample, location: location),
      isCovered: departure.isUnderWay || goesOn, motionBegan: departure.motionBegan,
      reach: settings.restReach)
  }

  /// The record of a reconstructed trip, once the device is stationary and no ordinary trip can still record the
  /// movement.
  mutating func reconstructTrip(now: Moment) -> [TrackerAction] {
    guard !places.trips.isRunning,
      plan?.isAtRest == true || places.rest.isResting(for: RestWatch.stopped, evidence, now: now),
      let found = reconstruction.end()
    else { return [] }
    let (start, end) = (dated(found.origin.sample), dated(found.arrival))
    let duration = found.arrival.elapsed(since: found.origin.sample) ?? .zero
    var trip = TripRecord(
      mode: settings.trips.mode, start: start, end: end, durationMilliseconds: duration.wholeMilliseconds,
      distanceMillimetres: Int64((min(found.metres, 3e7) * 1000).rounded()), isManual: false, ending: .noFix,
      device: device)
    trip.isReconstructed = true
    trip.startPlace = TripRecord.Place(found.origin.location, time: start)
    trip.endPlace = TripRecord.Place(found.end.location, time: dated(found.end.sample))
    return [keep(trip, now: now)]
  }

  private func dated(_ sample: Sample) -> Instant {
    let instant = TripWatch.instant(sample)
    return datedOffset.map { instant.dated(offsetMilliseconds: $0) } ?? instant
  }

  // MARK: State over a restart

  /// The position of the automatic pause; nil while the date is unknown, because it is meaningless after a restart.
  var pausedPlace: TripRecord.Place? {
    guard settings.reconstructsTrips, let paused = reconstruction.pausedPosition else { return nil }
    return TripRecord.Place(paused.location, time: dated(paused.sample))
  }

  /// Restores a pause that was in effect when the program ended.
  mutating func resumePause(at place: TripRecord.Place) {
    guard settings.reconstructsTrips, let time = place.time.time, !places.hides(place.location) else {
      return
    }
    var sample = Sample(timestamp: time, moment: nil, coordinate: place.location.coordinate)
    sample.accuracy = HorizontalAccuracy.known(
      place.location.horizontalAccuracyMillimetres.map { Double($0) / 1000 })
    reconstruction.resume(TripReconstruction.Position(sample: sample, location: place.location))
  }
}
