import Quantities
import Records

/// The trackers of the device's location and movement, besides the last record: stops, trips, visits, zones, parking.
/// Owned by ``Tracker``.
struct PositionState: Sendable {
  var stop: StopDetector
  var trips: TripWatch
  var visits: VisitWatch?
  var zones: [ZoneWatch]
  var wifi: WifiZoneWatch
  var parking: ParkingZone?
  /// The total distance travelled.
  var lifetime = Odometer()
  /// The last fix that passed the filters.
  var last: Observation?
  /// The last location of an earlier run, until a dated fix follows it.
  var recalled: Observation?
  /// True while the device is stopped; nil before the first decision.
  var isStopped: Bool?
  /// The position of the present stop.
  var stopPosition: Coordinate?
  /// Start of the longest time without a record.
  var beatFrom: Moment?
  var savedAt: Moment?
  var needsSaving = false
  /// True if the latest known position is in a privacy zone.
  var isHidden = false
  /// The privacy zones.
  private(set) var privateZones = PrivateZones()
  /// True if the recording rules, or the position in records, depend on a stop, and not only on fixes.
  private var dependsOnStop: Bool
  /// True while the receiver sleeps with a stationary device: no fix shows that the stop continues.
  var isUnseen = false

  init(_ settings: TrackerSettings) {
    stop = StopDetector(reach: settings.stopRadius)
    trips = TripWatch(rules: settings.trips)
    visits = settings.visits.map { VisitWatch(rules: $0) }
    zones = settings.zones.map { ZoneWatch($0) }
    wifi = WifiZoneWatch(settings.wifiZones)
    parking = settings.parking.map { ParkingZone(rules: $0) }
    privateZones = PrivateZones(settings.zones)
    dependsOnStop = settings.dependsOnStop
  }

  /// Applies other settings; the present state remains valid.
  mutating func apply(_ settings: TrackerSettings) {
    if stop.dwell.reach != settings.stopRadius { stop = StopDetector(reach: settings.stopRadius) }
    // The new mode also applies to the running trip.
    if trips.rules.mode != settings.trips.mode, trips.isRunning {
      trips.setMode(settings.trips.mode)
      needsSaving = true
    }
    trips.rules = settings.trips
    dependsOnStop = settings.dependsOnStop
    if let rules = settings.visits {
      if visits == nil { visits = VisitWatch(rules: rules) } else { visits?.rules = rules }
    } else {
      visits = nil
    }
    let known = zones
    let newlyPrivate = PrivateZones(settings.zones)
    // The saved state may hold a location that must not be disclosed any more.
    if newlyPrivate != privateZones { needsSaving = true }
    privateZones = newlyPrivate
    zones = settings.zones.map { zone in
      guard var watch = known.first(where: { $0.zone.name == zone.name }) else { return ZoneWatch(zone) }
      watch.redraw(zone)
      return watch
    }
    wifi.redraw(settings.wifiZones)
    if let rules = settings.parking {
      if parking == nil { parking = ParkingZone(rules: rules) } else { parking?.rules = rules }
    } else {
      parking = nil
    }
  }

  /// Discards the state of the stop when nothing uses it any more: it is not valid after the interruption.
  mutating func stopWatching(_ settings: TrackerSettings) {
    stop = StopDetector(reach: settings.stopRadius)
    last = nil
    isStopped = nil
    stopPosition = nil
  }

  /// True if something can become due; false before any fix was taken.
  var isWatching: Bool {
    last != nil || trips.isRunning || !zones.isEmpty || parking?.position != nil || wifi.nextTimeout != nil
  }

  func nextTimeout(_ evidence: SensedMotion) -> Moment? {
    var due = trips.nextTimeout(stop, evidence)
    due = Moment.earliest(due, visits?.nextTimeout(stop, evidence))
    if !suppressesParkingAlarm { due = Moment.earliest(due, parking?.nextTimeout(stop, evidence)) }
    if dependsOnStop, isUnseen, isStopped != true {
      due = Moment.earliest(due, stop.deadline(for: StopDetector.stopped, evidence))
    }
    for zone in zones { due = Moment.earliest(due, zone.nextTimeout) }
    return Moment.earliest(due, wifi.nextTimeout)
  }

  mutating func date(offsetMilliseconds offset: Int64, quality: ClockQuality) {
    trips.date(offsetMilliseconds: offset, quality: quality)
    visits?.date(offsetMilliseconds: offset)
  }

  // MARK: State

  /// The state to save. `steps` is the present value of the step counter, which begins at zero after a restart.
  func state(steps: Int32?) -> TrackerState {
    var state = TrackerState()
    state.lifetimeMillimetres = lifetime.millimetres
    state.trip = trips.running
    if let base = trips.running?.stepsBefore, let steps { state.trip?.stepsBefore = base &- steps }
    state.visit = visits?.present.flatMap { hides($0.centre, accuracy: $0.accuracy) ? nil : $0 }
    state.parking = parking?.position.flatMap { hides($0) ? nil : $0 }
    for zone in zones { state.zones[zone.zone.name] = zone.side }
    state.wifi = wifi.zones.isEmpty ? nil : wifi.side
    return state
  }

  /// Processes the last location of an earlier run, if no fix has been taken since.
  mutating func recall(_ position: TripRecord.Location) {
    guard let time = position.time.time, last == nil else { return }
    var observation = Observation(timestamp: time, moment: nil, coordinate: position.location.coordinate)
    observation.accuracy = HorizontalAccuracy.known(
      position.location.horizontalAccuracyMillimetres.map { Double($0) / 1000 })
    recalled = observation
    stop.recall(observation)
    let before = trips.running?.distanceMillimetres ?? 0
    guard trips.recall(position, observation) else { return }
    let recalled = (trips.running?.distanceMillimetres ?? 0) &- before
    lifetime = Odometer(millimetres: lifetime.millimetres &+ recalled, reference: observation)
  }

  mutating func resume(_ state: TrackerState, now: Moment) {
    lifetime = Odometer(
      millimetres: state.lifetimeMillimetres &+ lifetime.millimetres, reference: lifetime.reference)
    if let trip = state.trip { trips.resume(trip, now: now) }
    if let visit = state.visit { visits?.resume(visit) }
    if let position = state.parking, let rules = parking?.rules, parking?.position == nil {
      parking = ParkingZone(rules: rules, position: position)
    }
    if let side = state.wifi { wifi.resume(side) }
    for index in zones.indices where zones[index].side == nil {
      guard let side = state.zones[zones[index].zone.name] else { continue }
      zones[index] = ZoneWatch(zones[index].zone, side: side)
    }
  }
}
