import History
import Quantities
import Records

/// The lists of gaps, visits, trips and events of a response, which are few.
struct PlaceLists {
  private struct Visit {
    var id: Int64
    var from: Timestamp?
    var to: Timestamp?
    var coordinate: Coordinate
  }

  private struct Trip {
    var start: Timestamp
    var text: [UInt8]
  }

  /// Limit of the entries of all lists of one response.
  static let most = 1000

  private var gaps: [UInt8] = []
  private var visits: [Visit] = []
  private var trips: [Trip] = []
  private var events: [UInt8] = []
  /// Number of entries.
  private(set) var count = 0

  mutating func add(_ gap: GapSearch.Gap, hasPrivacyZones: Bool) {
    let sentence = GapSentence(gap, clock: WallClock { _ in .zero }, hasPrivacyZones: hasPrivacyZones).text
    gaps.append(gaps.isEmpty ? "{\"from\":" : ",\n{\"from\":")
    gaps.append(gap.from.milliseconds)
    gaps.append(key: "to")
    gaps.append(optional: gap.to?.milliseconds)
    gaps.append(key: "metres")
    gaps.append(optional: gap.metres.map { Int64($0.rounded()) })
    gaps.append(key: "reason")
    gaps.appendJSONString(gap.reasonKind)
    gaps.append(key: "sentence")
    gaps.appendJSONString(sentence)
    if let start = gap.start {
      gaps.append(key: "lat_from")
      gaps.append(Int64(start.latitudeE7))
      gaps.append(key: "lon_from")
      gaps.append(Int64(start.longitudeE7))
    }
    if let end = gap.end {
      gaps.append(key: "lat_to")
      gaps.append(Int64(end.latitudeE7))
      gaps.append(key: "lon_to")
      gaps.append(Int64(end.longitudeE7))
    }
    gaps.append("}")
    count += 1
  }

  /// Adds one of the two records of a visit.
  mutating func add(_ visit: VisitRecord, _ id: RecordID) {
    let next = Visit(
      id: id.rawValue, from: visit.arrival?.time, to: visit.departure?.time, coordinate: visit.coordinate)
    if let last = visits.indices.last, next.from != nil, visits[last].from == next.from {
      visits[last] = next
      return
    }
    visits.append(next)
    count += 1
  }

  mutating func add(_ trip: TripRecord, _ id: RecordID) {
    guard let start = trip.start.time, let end = trip.end.time else { return }
    add(
      start: start, end: end, mode: trip.mode, metres: max(trip.distanceMillimetres, 0) / 1000, id: id,
      reason: "\(trip.ending.word)")
  }

  /// Adds the trip that is in progress at the end of the log, unless it is known to have ended.
  mutating func add(openTripAt start: Timestamp, _ id: RecordID) {
    guard trips.last?.start != start else { return }
    add(start: start, end: nil, mode: nil, metres: nil, id: id, reason: nil)
  }

  private mutating func add(
    start: Timestamp, end: Timestamp?, mode: TripMode?, metres: Int64?, id: RecordID, reason: String?
  ) {
    var text: [UInt8] = []
    text.append("{\"id\":")
    text.append(id.rawValue)
    text.append(key: "from")
    text.append(start.milliseconds)
    text.append(key: "to")
    text.append(optional: end?.milliseconds)
    text.append(key: "mode")
    if let mode { text.appendJSONString(mode.rawValue) } else { text.append("null") }
    text.append(key: "distance_m")
    text.append(optional: metres)
    text.append(key: "open")
    text.append(end == nil ? "true" : "false")
    if let reason {
      text.append(key: "reason")
      text.appendJSONString(reason)
    }
    text.append("}")
    trips.append(Trip(start: start, text: text))
    count += 1
  }

  /// Adds an event with the position at its time; nil if that is unknown or must not be disclosed.
  mutating func add(_ event: EventRecord, _ id: RecordID, _ time: Timestamp, at coordinate: Coordinate?) {
    events.append(events.isEmpty ? "{\"id\":" : ",\n{\"id\":")
    events.append(id.rawValue)
    events.append(key: "t")
    events.append(time.milliseconds)
    events.append(key: "kind")
    events.appendJSONString(event.kind.rawValue)
    events.append(key: "text")
    events.appendJSONString(event.detail)
    if let coordinate {
      events.append(key: "lat")
      events.append(Int64(coordinate.latitudeE7))
      events.append(key: "lon")
      events.append(Int64(coordinate.longitudeE7))
    }
    events.append("}")
    count += 1
  }

  var gapList: [UInt8] { Array("[".utf8) + gaps + Array("]".utf8) }
  var eventList: [UInt8] { Array("[".utf8) + events + Array("]".utf8) }
  var tripList: [UInt8] {
    Array("[".utf8) + Array(trips.map(\.text).joined(separator: ",\n".utf8)) + Array("]".utf8)
  }

  var visitList: [UInt8] {
    var text = Array("[".utf8)
    for (index, visit) in visits.enumerated() {
      text.append(index == 0 ? "{\"id\":" : ",\n{\"id\":")
      text.append(visit.id)
      text.append(key: "from")
      text.append(optional: visit.from?.milliseconds)
      text.append(key: "to")
      text.append(optional: visit.to?.milliseconds)
      text.append(key: "lat")
      text.append(Int64(visit.coordinate.latitudeE7))
      text.append(key: "lon")
      text.append(Int64(visit.coordinate.longitudeE7))
      text.append(key: "open")
      text.append(visit.to == nil ? "true}" : "false}")
    }
    text.append("]")
    return text
  }
}
