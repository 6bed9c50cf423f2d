import GNSSProtocol
import Quantities
import Records

/// Creates reconstructed trips: trips of which only the two ends are known.
extension Tracker {
  /// The beginning of the movement that led to a fix, as known before the fix.
  struct Departure {
    /// True if the schedule was tracking a movement already.
    var isTravelling: Bool
    /// Start of motion by a sensor that no fix had confirmed.
    var motionBegan: Moment?
    /// Start of the trip that was running.
    var trip: Instant?
  }

  var departure: Departure {
    Departure(
      isTravelling: schedule?.isTravelling ?? false, motionBegan: schedule?.motionBegan,
      trip: positions.trips.running?.start)
  }

  /// Passes a fix that passed the filters to ``TripReconstruction``, after the trips have processed it.
  mutating func updateReconstruction(_ validFix: ValidFix, _ departure: Departure) {
    // An ignition line shows which movements are the vehicle's own, and wakes the receiver for them.
    guard schedule != nil || reconstruction.isPending, evidence.ignition == nil, !positions.isHidden,
      !hidesRecord(of: validFix.observation)
    else {
      reconstruction = TripReconstruction()
      return
    }
    guard case .location(var location) = record(of: validFix, reasons: .period).body else { return }
    (location.trip, location.steps, location.statistics) = (nil, nil, nil)
    let continues = departure.trip != nil && departure.trip == positions.trips.running?.start
    reconstruction.take(
      TripReconstruction.Position(observation: validFix.observation, location: location),
      isCovered: departure.isTravelling || continues, motionBegan: departure.motionBegan,
      reach: settings.stopRadius)
  }

  /// The record of a reconstructed trip, once the device is stationary and no ordinary trip can still record the
  /// movement.
  mutating func reconstructTrip(now: Moment) -> [TrackerAction] {
    guard !positions.trips.isRunning,
      schedule?.isAsleepWhileStationary == true
        || positions.stop.isStationary(for: StopDetector.stopped, evidence, now: now),
      let found = reconstruction.end()
    else { return [] }
    let (start, end) = (dated(found.origin.observation), dated(found.arrival))
    let duration = found.arrival.elapsed(since: found.origin.observation) ?? .zero
    var trip = TripRecord(
      mode: settings.trips.mode, start: start, end: end, durationMilliseconds: duration.wholeMilliseconds,
      distanceMillimetres: Int64((min(found.metres, 3e7) * 1000).rounded()), isManual: false, ending: .noFix,
      device: device)
    trip.isReconstructed = true
    trip.startLocation = TripRecord.Location(found.origin.location, time: start)
    trip.endLocation = TripRecord.Location(found.end.location, time: dated(found.end.observation))
    return [keep(trip, now: now)]
  }

  private func dated(_ observation: Observation) -> Instant {
    clock.dated(TripWatch.instant(observation))
  }

  // MARK: State over a restart

  /// The position of the automatic pause; nil while the date is unknown, because it is meaningless after a restart.
  var pausedPosition: TripRecord.Location? {
    guard settings.reconstructsTrips, let paused = reconstruction.pausedPosition else { return nil }
    return TripRecord.Location(paused.location, time: dated(paused.observation))
  }

  /// Restores a pause that was in effect when the program ended.
  mutating func resumePause(at position: TripRecord.Location) {
    guard settings.reconstructsTrips, let time = position.time.time, !positions.hides(position.location)
    else {
      return
    }
    var observation = Observation(timestamp: time, moment: nil, coordinate: position.location.coordinate)
    observation.accuracy = HorizontalAccuracy.known(
      position.location.horizontalAccuracyMillimetres.map { Double($0) / 1000 })
    reconstruction.resume(TripReconstruction.Position(observation: observation, location: position.location))
  }
}
