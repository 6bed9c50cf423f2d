import Motion
import Quantities
import Records

/// What records say about the device besides its position: battery, network, steps, and motion by the speed of the fixes.
///
/// The motion derived from the speed is for display only. Filters, trips and the receiver schedule use ``SensedMotion``, so
/// that a device records the same fixes with and without it.
public struct RecordFactory: Sendable {
  /// The last state reported by a gauge; nil without one.
  public private(set) var battery: Battery?
  /// The Wi-Fi network that the device has joined; nil if none, or if unknown.
  public private(set) var network: JoinedNetwork?
  /// Steps counted since this start of the program.
  private(set) var steps: Int32?
  /// Number of steps counted by earlier runs.
  private var stepsBefore: Int32 = 0
  private var speedMotion = SpeedClassifier()

  mutating func take(_ battery: Battery) { self.battery = battery }
  mutating func joined(_ network: JoinedNetwork?) { self.network = network }
  mutating func take(steps: Int32) { self.steps = steps }
  mutating func restore(steps: Int32) { stepsBefore = steps }

  /// Total steps counted; nil without a counter.
  public var totalSteps: Int32? { steps.map { $0.addingReportingOverflow(stepsBefore).partialValue } }

  /// The state of the battery, or what is assumed without a gauge.
  func battery(_ settings: TrackerSettings) -> Battery { battery ?? settings.batteryWithoutGauge }

  /// The state of the device for a record. A hidden location has no network name, which would reveal it.
  func device(_ settings: TrackerSettings, isHidden: Bool) -> DeviceState {
    let battery = battery(settings)
    return DeviceState(
      deviceID: settings.deviceID, batteryState: battery.state, batteryPercent: battery.percent,
      wifi: isHidden ? "" : network?.name ?? "")
  }

  /// Processes the speed of a fix.
  mutating func take(speed: Double?, accuracy: Double?, at moment: Moment) {
    speedMotion.take(speed: speed, accuracy: accuracy, at: moment)
  }

  /// The motion derived from the speed of the fixes, with its confidence; nil without a known speed, and if the last one is
  /// too old.
  func motionBySpeed(at moment: Moment) -> SpeedClassifier.Answer? { speedMotion.answer(at: moment) }

  // MARK: Records of trips

  /// The record of a trip that ended.
  func trip(_ trip: RunningTrip, end: TripWatch.End, device: DeviceState) -> TripRecord {
    var record = TripRecord(
      mode: trip.mode, start: trip.start, end: end.instant,
      durationMilliseconds: trip.duration(to: end).wholeMilliseconds,
      distanceMillimetres: trip.distanceMillimetres, isManual: trip.isManual, ending: end.ending,
      device: device)
    record.startLocation = trip.startLocation
    record.endLocation = trip.lastLocation.map { position in
      var bare = position
      bare.location.trip = nil
      bare.location.steps = nil
      bare.location.reasons = .period
      bare.location.statistics = nil
      return bare
    }
    if let steps, let base = trip.stepsBefore { record.steps = max(steps &- base, 0) }
    return record
  }

  /// The record of a trip of which only the ends are known.
  func trip(
    _ found: TripReconstruction.Found, mode: TripMode, clock: RecordClock, device: DeviceState
  ) -> TripRecord {
    func dated(_ observation: Observation) -> Instant { clock.dated(TripWatch.instant(observation)) }
    let (start, end) = (dated(found.origin.observation), dated(found.arrival))
    let duration = found.arrival.elapsed(since: found.origin.observation) ?? .zero
    var trip = TripRecord(
      mode: mode, start: start, end: end, durationMilliseconds: duration.wholeMilliseconds,
      distanceMillimetres: Int64((min(found.metres, 3e7) * 1000).rounded()), isManual: false, ending: .noFix,
      device: device)
    trip.isReconstructed = true
    trip.startLocation = TripRecord.Location(found.origin.location, time: start)
    trip.endLocation = TripRecord.Location(found.end.location, time: dated(found.end.observation))
    return trip
  }
}
