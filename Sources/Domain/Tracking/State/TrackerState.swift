import Quantities
import Records
import Scheduling

/// The tracker's state that survives a restart, stored as text in the log.
///
/// It holds the running trip, the visit, the sides of the zones and the parking position. It also holds the odometer,
/// the step counter, the power level and the battery budget. Motion, overspeed or idling in progress, the position of
/// an automatic pause, and the learned data of the receiver complete it.
public struct TrackerState: Equatable, Sendable {
  /// Total distance travelled, in mm.
  public var lifetimeMillimetres: Int64 = 0
  /// Total steps counted; nil without a counter.
  var steps: Int32?
  public var trip: RunningTrip?
  var visit: VisitWatch.Visit?
  var parking: Coordinate?
  /// Learned start times of the receiver.
  public var starts: StartCost?
  /// The sleep of the receiver; nil while it is awake or the device moves.
  public var sleep: SavedSleep?
  /// The tracking of a receiver that stores its epochs while the host sleeps; nil otherwise.
  public var tracking: SavedTracking?
  /// The time at which the receiver last had complete ephemerides.
  public var ephemeridesRead: Timestamp?
  /// The sides of the zones, by name.
  var zones: [String: ZoneWatch.Side] = [:]
  var wifi: WifiZoneWatch.Side?
  var driving: DrivingState?
  /// Duration of the present motion by fixes; nil if stationary, or if the log has no record of its beginning.
  var fixMotion: Duration?
  /// The position of the automatic pause, and the last time at which the device was known to be there.
  var paused: TripRecord.Location?
  /// The power level.
  public var power = PowerLevel.normal
  /// Factor of the battery budget; 1 or more.
  public var intervalFactor = 1.0

  public init() {}

  /// Limit in bytes of UTF-8. Zones beyond it are omitted.
  public static let longestText = 1900

  // MARK: Writing

  /// The stored form: one line per item, read by ``init(text:now:)``.
  public var text: String {
    var lines = ["outrider 1", "way\t\(lifetimeMillimetres)"]
    if let steps { lines.append("steps\t\(steps)") }
    if intervalFactor > 1, let percent = Int64(exactly: (intervalFactor * 100).rounded()) {
      lines.append("stretch\t\(percent)")
    }
    if power != .normal { lines.append("power\t\(power.rawValue)") }
    if let parking { lines.append("parking\t\(parking.latitudeE7)\t\(parking.longitudeE7)") }
    if let visit {
      lines.append(
        [
          "visit", Self.text(visit.arrival), "\(visit.centre.latitudeE7)", "\(visit.centre.longitudeE7)",
          Self.millimetres(visit.radius), Self.millimetres(visit.accuracy),
        ].joined(separator: "\t"))
    }
    if let trip {
      let steps = StateFields.text(trip.stepsBefore)
      lines.append(
        "trip\t\(trip.mode.rawValue)\t\(Self.text(trip.start))\t\(trip.isManual ? 1 : 0)\t\(trip.distanceMillimetres)\t\(steps)"
      )
      if let position = trip.startLocation?.stateText { lines.append("start\t\(position)") }
      if let position = trip.lastLocation?.stateText { lines.append("last\t\(position)") }
    }
    switch wifi {
    case .inside(let name)?: lines.append("wifi\tinside\t\(StateFields.quoted(name))")
    case .outside?: lines.append("wifi\toutside")
    case nil: break
    }
    if let fixMotion { lines.append("moving\t\(fixMotion.wholeSeconds)") }
    if let driving { lines.append("driving\t\(driving.text)") }
    if let sleep { lines.append("asleep\t\(sleep.words.joined(separator: "\t"))") }
    if let tracking { lines.append("stores\t\(tracking.words.joined(separator: "\t"))") }
    var length = lines.reduce(0) { $0 + $1.utf8.count + 1 }
    for (name, side) in zones.sorted(by: { $0.key < $1.key }) {
      let line = "zone\t\(side.rawValue)\t\(StateFields.quoted(name))"
      guard length + line.utf8.count < Self.longestText else { break }
      length += line.utf8.count + 1
      lines.append(line)
    }
    // Data that is learned again within weeks comes last, if there is room.
    func append(_ line: String) {
      let longer = length + line.utf8.count + 1
      guard longer <= Self.longestText else { return }
      length = longer
      lines.append(line)
    }
    if let position = paused?.stateText { append("paused\t\(position)") }
    if let read = ephemeridesRead { append("ephemerides\t\(read.milliseconds)") }
    if let starts { append("starts\t\(StateFields.quoted(starts.text))") }
    return lines.joined(separator: "\n")
  }

  private static func text(_ instant: Instant) -> String { StateFields.text(instant.time?.milliseconds) }

  private static func millimetres(_ metres: Double?) -> String {
    StateFields.text(metres.flatMap { Int64(exactly: ($0 * 1000).rounded()) })
  }

  // MARK: Reading

  /// Reads every line that it knows; nil for text of another format. `now` replaces instants that had no date when
  /// the text was written.
  public init?(text: String, now: Moment) {
    let lines = text.split(separator: "\n")
    guard lines.first == "outrider 1" else { return nil }
    for line in lines.dropFirst() {
      var fields = StateFields(line)
      switch fields.word() {
      case "way": lifetimeMillimetres = max(fields.number() ?? 0, 0)
      case "steps": steps = fields.number().map { max($0, 0) }
      case "power": power = fields.word().flatMap(PowerLevel.init(rawValue:)) ?? .normal
      case "stretch":
        intervalFactor = fields.number().map { (percent: Int32) in max(Double(percent) / 100, 1) } ?? 1
      case "parking": parking = Self.coordinate(&fields)
      case "visit": visit = Self.visit(&fields, now: now)
      case "trip": trip = Self.trip(&fields, now: now)
      case "start": trip?.startLocation = TripRecord.Location(&fields)
      case "last":
        trip?.lastLocation = TripRecord.Location(&fields)
        guard let position = trip?.lastLocation else { continue }
        let last = Observation(
          timestamp: position.time.time, moment: nil, coordinate: position.location.coordinate)
        trip?.last = last
        let distance = trip?.distanceMillimetres ?? 0
        trip?.odometer = Odometer(millimetres: distance, reference: last)
      case "wifi":
        switch fields.word() {
        case "inside": wifi = fields.text().map { .inside($0) }
        case "outside": wifi = .outside
        default: continue
        }
      case "moving": fixMotion = fields.number().map { (seconds: Int32) in .seconds(max(seconds, 0)) }
      case "paused": paused = TripRecord.Location(&fields)
      case "driving": driving = DrivingState(&fields)
      case "asleep":
        sleep = SavedSleep(words: (0..<7).map { _ in fields.word() ?? "" })
      case "stores": tracking = SavedTracking(words: (0..<2).map { _ in fields.word() ?? "" })
      case "ephemerides": ephemeridesRead = fields.number().map { Timestamp(milliseconds: $0) }
      case "starts": starts = fields.text().flatMap { StartCost(text: $0) }
      case "zone":
        guard let side = fields.word().flatMap(ZoneWatch.Side.init(rawValue:)), let name = fields.text()
        else {
          continue
        }
        zones[name] = side
      default: continue
      }
    }
  }

  private static func coordinate(_ fields: inout StateFields) -> Coordinate? {
    guard let latitude: Int32 = fields.number(), let longitude: Int32 = fields.number() else { return nil }
    return Coordinate(latitudeE7: latitude, longitudeE7: longitude)
  }

  private static func instant(_ fields: inout StateFields, now: Moment) -> Instant {
    let time: Int64? = fields.number()
    return time.map { .utc(Timestamp(milliseconds: $0)) } ?? .boot(now)
  }

  private static func visit(_ fields: inout StateFields, now: Moment) -> VisitWatch.Visit? {
    let arrival = instant(&fields, now: now)
    guard let centre = coordinate(&fields) else { return nil }
    let radius: Int64? = fields.number()
    let accuracy: Int64? = fields.number()
    return VisitWatch.Visit(
      arrival: arrival, centre: centre, radius: Double(radius ?? 0) / 1000,
      accuracy: accuracy.map { Double($0) / 1000 })
  }

  private static func trip(_ fields: inout StateFields, now: Moment) -> RunningTrip? {
    guard let mode = fields.word().flatMap(TripMode.init(rawValue:)) else { return nil }
    let start = instant(&fields, now: now)
    let isManual: Int? = fields.number()
    let distance: Int64? = fields.number()
    var trip = RunningTrip(mode: mode, start: start, isManual: isManual == 1)
    trip.odometer = Odometer(millimetres: max(distance ?? 0, 0))
    trip.stepsBefore = fields.number()
    if case .boot = start { trip.startMoment = now }
    return trip
  }
}
