import GNSSProtocol
import Quantities
import Records
import Scheduling

/// What the networks in range tell about the location: Wi-Fi zones, which replace the receiver, and hints of a move.
public struct NetworkLocation: Sendable {
  private var zones: WifiZoneWatch
  /// Schedules records of a joined zone without a request.
  private var recording = WifiZoneRecording()
  /// Detects a move by the joined networks.
  private var networkHint = NetworkHint()
  /// Detects a move by the access points in range.
  private var accessPointHint: AccessPointHint

  init(_ settings: TrackerSettings) {
    zones = WifiZoneWatch(settings.wifiZones)
    accessPointHint = AccessPointHint(interval: settings.scanInterval)
  }

  /// Applies other settings; the present state remains valid.
  mutating func apply(_ settings: TrackerSettings) {
    zones.redraw(settings.wifiZones)
    accessPointHint.interval = settings.scanInterval
  }

  // MARK: Wi-Fi zones

  /// True if there are zones.
  var hasZones: Bool { !zones.zones.isEmpty }
  /// True if the network of a Wi-Fi zone is joined and no fix contradicts it.
  public var isZoneJoined: Bool { zones.joined != nil }
  /// The zone whose network is joined; nil while a fix contradicts it.
  var joined: WifiZone? { zones.joined }
  /// The zone that the device is in, even if its network is lost for a moment.
  var present: WifiZone? { zones.present }
  /// The side to save; nil without zones.
  var side: WifiZoneWatch.Side? { hasZones ? zones.side : nil }

  mutating func resume(_ side: WifiZoneWatch.Side) { zones.resume(side) }

  mutating func begin(now: Moment) -> [WifiZoneWatch.Outcome] { zones.begin(now: now) }

  /// Processes the joined network. `movedUntil` is the latest time at which the device can have moved.
  mutating func joined(_ network: JoinedNetwork?, movedUntil: Moment, now: Moment) -> [WifiZoneWatch.Outcome]
  {
    defer { recording.expectTime() }
    return zones.take(network, movedUntil: movedUntil, now: now)
  }

  /// Compares a fix with the zone: fixes elsewhere end the zone, and a fix inside restores it.
  mutating func compare(_ fix: Coordinate, accuracy: Double?, now: Moment) -> [WifiZoneWatch.Outcome] {
    zones.take(fix, accuracy: accuracy, now: now)
  }

  /// The radio is switched off: the network is unknown.
  mutating func switchedOff() { zones.switchedOff() }

  // MARK: Records of zones

  /// True if a zone may have to be recorded.
  var isFollowing: Bool { hasZones || recording.zone != nil }

  /// Follows the present zone. Returns true if a record of joining it is due.
  mutating func isRecordDue(now: Moment) -> Bool {
    recording.follow(zones.present, now: now)
    return recording.due.map { now >= $0 } ?? false
  }

  /// A record at the location of the zone was made.
  mutating func recorded(_ zone: WifiZone, now: Moment) { recording.recorded(zone, now: now) }

  /// The record of joining is made later.
  mutating func postponeRecord(until moment: Moment) { recording.postpone(until: moment) }

  /// No record of joining is made.
  mutating func cancelRecord() { recording.cancel() }

  /// True if the system clock should be read now, because the time is unknown.
  mutating func readsClock(now: Moment) -> Bool { zones.joined != nil && recording.readsClock(now: now) }

  /// Allows an immediate reading of the system clock, because of a request.
  mutating func expectTime() { recording.expectTime() }

  // MARK: Hints of a move

  /// Processes the joined network. Returns the name joined before if the device has probably moved.
  mutating func hint(_ network: JoinedNetwork?, stationarySince: Moment?, now: Moment) -> String? {
    networkHint.take(network, stationarySince: stationarySince, now: now)
  }

  /// Processes the access points in range. Returns the number of missing ones if the device has probably moved.
  mutating func hint(_ addresses: Set<String>, stationarySince: Moment?) -> Int? {
    accessPointHint.take(addresses, stationarySince: stationarySince)
  }

  /// The window of the next scan for access points; nil while no receiver sleeps with a stationary device.
  func scanWindow(_ schedule: ReceiverSchedule?) -> WakeWindow? {
    guard accessPointHint.interval != nil, let schedule, schedule.isAsleepWhileStationary else { return nil }
    return accessPointHint.window(stationarySince: schedule.stationarySince)
  }

  /// A scan was requested.
  mutating func scanned(now: Moment) { accessPointHint.asked(now: now) }

  // MARK: Deadlines

  /// The next deadline of a zone; nil without one.
  var nextTimeout: Moment? { zones.nextTimeout }

  /// The next deadline of a record; nil outside zones.
  func recordTimeout(isTimeKnown: Bool) -> Moment? {
    zones.joined == nil ? nil : recording.nextTimeout(isTimeKnown: isTimeKnown)
  }

  mutating func handleTimeout(now: Moment) -> [WifiZoneWatch.Outcome] { zones.handleTimeout(now: now) }
}

extension Fix {
  /// The location of a zone, without measurement.
  init(of zone: WifiZone, at time: Timestamp) {
    self.init()
    timestamp = time
    millisecondOfDay = Int32(time.millisecondOfDay)
    latitude = zone.position.latitude
    longitude = zone.position.longitude
    horizontalAccuracy = WifiZone.accuracy
    accuracySource = .wifiZone
  }
}
