import Quantities
import Records

/// The lists of gaps, visits, trips and events of a track, as JSON. They are few.
package struct PlaceLists {
  private struct Visit {
    var id: Int64
    var from: Timestamp?
    var to: Timestamp?
    var coordinate: Coordinate?
  }

  private struct Trip {
    var start: Timestamp
    var text: [UInt8]
  }

  /// Limit of the entries of all lists of one response.
  package static let most = 1000

  private var gaps: [UInt8] = []
  private var visits: [Visit] = []
  private var trips: [Trip] = []
  private var events: [UInt8] = []
  /// Number of entries.
  package private(set) var count = 0

  package init() {}

  /// Adds a gap with the sentence about its reasons.
  package mutating func add(_ gap: GapSearch.Gap, hasPrivacyZones: Bool) {
    let sentence = GapSentence(gap, clock: WallClock { _ in .zero }, hasPrivacyZones: hasPrivacyZones).text
    add(gap, sentence: sentence)
  }

  package mutating func add(_ gap: GapSearch.Gap, sentence: String) {
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
  package mutating func add(_ visit: VisitRecord, _ id: RecordID) {
    add(
      visit: id.rawValue, from: visit.arrival?.time, to: visit.departure?.time, at: visit.coordinate)
  }

  /// Adds one of the two records of a visit; nil is unknown.
  package mutating func add(
    visit id: Int64, from: Timestamp?, to: Timestamp?, at coordinate: Coordinate?
  ) {
    let next = Visit(id: id, from: from, to: to, coordinate: coordinate)
    if let last = visits.indices.last, next.from != nil, visits[last].from == next.from {
      visits[last] = next
      return
    }
    visits.append(next)
    count += 1
  }

  package mutating func add(_ trip: TripRecord, _ id: RecordID) {
    guard let start = trip.start.time, let end = trip.end.time else { return }
    add(
      trip: id.rawValue, start: start, end: end, mode: trip.mode.rawValue,
      metres: max(trip.distanceMillimetres, 0) / 1000, reason: "\(trip.ending.word)")
  }

  /// Adds the trip that is in progress at the end of the log, unless it is known to have ended.
  package mutating func add(openTripAt start: Timestamp, _ id: RecordID) {
    guard trips.last?.start != start else { return }
    add(trip: id.rawValue, start: start, end: nil, mode: nil, metres: nil, reason: nil)
  }

  /// Adds a trip; it is in progress without an end. `reason` is why it ended; nil to leave it out.
  package mutating func add(
    trip id: Int64, start: Timestamp, end: Timestamp?, mode: String?, metres: Int64?, reason: String?
  ) {
    var text: [UInt8] = []
    text.append("{\"id\":")
    text.append(id)
    text.append(key: "from")
    text.append(start.milliseconds)
    text.append(key: "to")
    text.append(optional: end?.milliseconds)
    text.append(key: "mode")
    if let mode { text.appendJSONString(mode) } else { text.append("null") }
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
  package mutating func add(
    _ event: EventRecord, _ id: RecordID, _ time: Timestamp, at coordinate: Coordinate?
  ) {
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

  package var gapList: [UInt8] { Array("[".utf8) + gaps + Array("]".utf8) }
  package var eventList: [UInt8] { Array("[".utf8) + events + Array("]".utf8) }
  package var tripList: [UInt8] {
    Array("[".utf8) + Array(trips.map(\.text).joined(separator: ",\n".utf8)) + Array("]".utf8)
  }

  package var visitList: [UInt8] {
    var text = Array("[".utf8)
    for (index, visit) in visits.enumerated() {
      text.append(index == 0 ? "{\"id\":" : ",\n{\"id\":")
      text.append(visit.id)
      text.append(key: "from")
      text.append(optional: visit.from?.milliseconds)
      text.append(key: "to")
      text.append(optional: visit.to?.milliseconds)
      text.append(key: "lat")
      text.append(optional: (visit.coordinate?.latitudeE7).map(Int64.init))
      text.append(key: "lon")
      text.append(optional: (visit.coordinate?.longitudeE7).map(Int64.init))
      text.append(key: "open")
      text.append(visit.to == nil ? "true}" : "false}")
    }
    text.append("]")
    return text
  }
}

extension GapSearch.Gap {
  /// A gap between two locations without a known reason.
  package init(from: Timestamp, _ start: Coordinate, to: Timestamp, _ end: Coordinate) {
    self.init(from: from, to: to, metres: start.distance(to: end))
    (self.start, self.end) = (start, end)
  }
}
