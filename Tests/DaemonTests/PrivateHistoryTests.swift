import Foundation
import GNSSProtocol
import HTTPServer
import Quantities
import Records
import Store
import TestSupport
import Testing
@testable import Daemon

/// Privacy zones in everything that the local API discloses, with random tracks and zones.
@Suite struct PrivateHistoryTests {
  /// A zone: a circle, or a polygon with sides to the north, south, east and west.
  struct Area {
    var name: String
    var centre: Coordinate
    /// The radius, or half of a side, in metres.
    var size: Double
    /// The corners of a polygon; nil for a circle.
    var corners: (south: Int32, north: Int32, west: Int32, east: Int32)?

    static let metresPerDegree = 6_371_008.8 * Double.pi / 180

    init?(_ name: String, _ centre: Coordinate, size: Double, isCircle: Bool) {
      (self.name, self.centre, self.size) = (name, centre, size)
      guard !isCircle else { return }
      let north = Int64(size / Self.metresPerDegree * 1e7)
      let east = Int64(Double(north) / cos(centre.latitude * .pi / 180))
      let (y, x) = (Int64(centre.latitudeE7), Int64(centre.longitudeE7))
      guard abs(x) + east < 1_800_000_000 else { return nil }
      corners = (Int32(y - north), Int32(y + north), Int32(x - east), Int32(x + east))
    }

    var json: String {
      guard let corners else {
        return "{ name: '\(name)', latitude: \(centre.latitude), longitude: \(centre.longitude), "
          + "radius: '\(Int(size))m' }"
      }
      func pair(_ latitude: Int32, _ longitude: Int32) -> String {
        "[\(Double(latitude) / 1e7), \(Double(longitude) / 1e7)]"
      }
      let list = [
        pair(corners.south, corners.west), pair(corners.south, corners.east),
        pair(corners.north, corners.east), pair(corners.north, corners.west),
      ]
      return "{ name: '\(name)', polygon: [\(list.joined(separator: ", "))] }"
    }

    /// True inside and on the edge.
    func contains(_ point: Coordinate) -> Bool {
      guard let corners else { return centre.distance(to: point) <= size }
      return (corners.south...corners.north).contains(point.latitudeE7)
        && (corners.west...corners.east).contains(point.longitudeE7)
    }

    /// The distance in metres from the edge, negative inside.
    func distance(from point: Coordinate) -> Double {
      guard let corners else { return centre.distance(to: point) - size }
      let width = cos(point.latitude * .pi / 180)
      let north = max(
        Double(corners.south) - Double(point.latitudeE7), Double(point.latitudeE7) - Double(corners.north))
      let x0 = Double(point.longitudeE7)
      // Around the date line the shorter way counts.
      let east = max(
        (Double(corners.west) - x0).remainder(dividingBy: 3.6e9),
        (x0 - Double(corners.east)).remainder(dividingBy: 3.6e9))
      let (y, x) = (north / 1e7 * Self.metresPerDegree, east / 1e7 * Self.metresPerDegree * width)
      return y > 0 && x > 0 ? (y * y + x * x).squareRoot() : max(y, x)
    }
  }

  /// A log and its zones.
  struct World {
    var zones: [Area] = []
    var records: [LogRecord] = []
    var locations: [LocationRecord] = []
    let start = Timestamp(milliseconds: 1_772_362_800_000)
    private var second = 0

    init(seed: UInt64) throws {
      var random = SplitMix64(seed: seed)
      // A third of the worlds is at the date line.
      let longitude = seed % 3 == 0 ? 179.9995 : Double.random(in: -179...179, using: &random)
      let home = try #require(
        Coordinate(latitude: .random(in: -44...44, using: &random), longitude: longitude))
      for number in 0..<Int.random(in: 1...4, using: &random) {
        let centre = home.moved(
          east: .random(in: -600...600, using: &random), north: .random(in: -600...600, using: &random))
        let size = Double(Int.random(in: 20...200, using: &random))
        if let zone = Area("secret \(number)", centre, size: size, isCircle: .random(using: &random)) {
          zones.append(zone)
        }
      }
      if zones.isEmpty, let zone = Area("secret", home, size: 100, isCircle: true) { zones = [zone] }
      add(.event(EventRecord(.started, [.version: "1.0", .cause: "first_start"])))
      var place = home
      var trip: Int?
      for _ in 0..<400 {
        second += Int.random(in: 0..<20, using: &random) == 0 ? 400 : Int.random(in: 1...30, using: &random)
        place = step(from: place, home, &random)
        var location = LocationRecord(coordinate: place, deviceID: "van")
        location.horizontalAccuracyMillimetres =
          ([nil, -1000, 0, 3000, 20_000, 3_000_000] as [Int32?]).randomElement(
            using: &random) ?? nil
        location.wifi = isInside(place) ? "secret network" : "cafe"
        location.trip = trip.map { .utc(start + .seconds($0)) }
        locations.append(location)
        add(.location(location))
        switch Int.random(in: 0..<40, using: &random) {
        case 0: addVisit(at: place)
        case 1: add(.action(ActionRecord(.willTerminate, at: place, device: DeviceState(deviceID: "van"))))
        case 2: add(.event(EventRecord(.zoneEntered, [.zone: "office"])))
        case 3: add(.event(EventRecord(.towed, [.distance: 40])))
        case 4 where trip == nil: trip = second
        case 5...8:
          if let began = trip { addTrip(from: began, isReconstructed: .random(using: &random), &random) }
          trip = nil
        default: break
        }
      }
    }

    /// True inside a zone and on an edge.
    func isInside(_ point: Coordinate) -> Bool { zones.contains { $0.contains(point) } }

    private mutating func add(_ body: LogRecord.Body) {
      records.append(
        LogRecord(
          moment: .zero + .seconds(second), time: start + .seconds(second), timeQuality: .receiver, body: body
        ))
    }

    /// The next point: a step away, or a place at which an edge is easily confused.
    private func step(from place: Coordinate, _ home: Coordinate, _ random: inout SplitMix64) -> Coordinate {
      let away = place.distance(to: home) > 900 ? home : place
      let moved = away.moved(
        east: .random(in: -80...80, using: &random), north: .random(in: -80...80, using: &random))
      guard Int.random(in: 0..<5, using: &random) == 0, let zone = zones.randomElement(using: &random) else {
        return moved
      }
      guard let corners = zone.corners else {
        let angle = Double.random(in: 0...(2 * .pi), using: &random)
        let radius = zone.size + ([0, -0.02, -1].randomElement(using: &random) ?? 0)
        return zone.centre.moved(east: radius * sin(angle), north: radius * cos(angle))
      }
      let latitude = [corners.south, corners.north, zone.centre.latitudeE7].randomElement(using: &random)
      let longitude = [corners.west, corners.east, zone.centre.longitudeE7].randomElement(using: &random)
      return Coordinate(latitudeE7: latitude ?? 0, longitudeE7: longitude ?? 0) ?? moved
    }

    private mutating func addVisit(at place: Coordinate) {
      var visit = VisitRecord(
        coordinate: place, arrival: .utc(start + .seconds(second)), device: DeviceState(deviceID: "van"))
      add(.visit(visit))
      second += 60
      visit.departure = .utc(start + .seconds(second))
      add(.visit(visit))
    }

    private mutating func addTrip(from began: Int, isReconstructed: Bool, _ random: inout SplitMix64) {
      var trip = TripRecord(
        mode: .car, start: .utc(start + .seconds(began)), end: .utc(start + .seconds(second)),
        durationMilliseconds: 1000, distanceMillimetres: 1000, isManual: false, ending: .stop,
        device: DeviceState(deviceID: "van"))
      trip.isReconstructed = isReconstructed
      trip.startLocation = locations.randomElement(using: &random).map { .init($0, time: trip.start) }
      trip.endLocation = locations.last.map { .init($0, time: trip.end) }
      add(.trip(trip))
    }

    /// The number of locations that are certainly outside by their accuracy, and of those that may be.
    var expected: ClosedRange<Int> {
      func count(_ margin: Double) -> Int {
        locations.count { location in
          let accuracy = location.horizontalAccuracyMillimetres.map { Double($0) / 1000 }
          return zones.allSatisfy {
            $0.distance(from: location.coordinate) > HorizontalAccuracy.margin(accuracy) + margin
          }
        }
      }
      return count(0.05)...count(-0.05)
    }
  }

  // MARK: The coordinates of a response

  private static func coordinate(_ latitude: Substring, _ longitude: Substring) -> Coordinate? {
    guard let latitude = Double(latitude), let longitude = Double(longitude) else { return nil }
    return Coordinate(latitude: latitude, longitude: longitude)
  }

  /// All positions in the JSON of GeoJSON.
  private static func positions(_ json: Any) -> [Coordinate] {
    if let list = json as? [Any] {
      if list.count >= 2, let longitude = list[0] as? Double, let latitude = list[1] as? Double {
        return [Coordinate(latitude: latitude, longitude: longitude)].compactMap { $0 }
      }
      return list.flatMap(positions)
    }
    return (json as? [String: Any])?.filter { $0.key != "bbox" }.values.flatMap(positions) ?? []
  }

  /// All positions in the columns and lists of `/track` and `/visits`.
  static func columns(_ json: [String: Any]) -> [Coordinate] {
    func sums(_ list: Any?) -> [Int64] {
      var sum: Int64 = 0
      return ((list as? [Any]) ?? []).map { value in
        sum += value as? Int64 ?? 0
        return sum
      }
    }
    var found: [(Int64, Int64)] = []
    for chunk in (json["points"] as? [[String: Any]]) ?? [] {
      found += zip(sums(chunk["lat"]), sums(chunk["lon"]))
    }
    for list in ["gaps", "visits", "events"] {
      for entry in (json[list] as? [[String: Any]]) ?? [] {
        for end in ["", "_from", "_to"] {
          guard let latitude = entry["lat\(end)"] as? Int64, let longitude = entry["lon\(end)"] as? Int64
          else { continue }
          found.append((latitude, longitude))
        }
      }
    }
    return found.compactMap { Coordinate(latitudeE7: Int32(clamping: $0), longitudeE7: Int32(clamping: $1)) }
  }

  /// Degrees of a sentence such as `5212.0074,N`.
  private static func degrees(_ text: Substring, _ digits: Int, isNegative: Bool) -> Double? {
    guard let whole = Double(text.prefix(digits)), let minutes = Double(text.dropFirst(digits)) else {
      return nil
    }
    return (whole + minutes / 60) * (isNegative ? -1 : 1)
  }

  /// All positions in a response.
  static func coordinates(_ text: String, of path: String) throws -> [Coordinate] {
    switch path.split(separator: "?")[0] {
    case "/export.gpx":
      return text.matches(of: /<(?:wpt|trkpt) lat="([^"]+)" lon="([^"]+)"/).compactMap {
        coordinate($0.1, $0.2)
      }
    case "/export.kml":
      let tracks = text.matches(of: /<gx:coord>([^ ]+) ([^ <]+)/).compactMap { coordinate($0.2, $0.1) }
      let lists = text.matches(of: /<coordinates>([^<]*)</).flatMap { $0.1.split(separator: /\s+/) }
      return tracks
        + lists.compactMap { item in
          let parts = item.split(separator: ",")
          return parts.count < 2 ? nil : coordinate(parts[1], parts[0])
        }
    case "/export.geojson": return positions(try JSONSerialization.jsonObject(with: Data(text.utf8)))
    case "/export.csv":
      let lines = text.split(separator: "\r\n")
      let names = lines.first?.split(separator: ",") ?? []
      let latitude = try #require(names.firstIndex(of: "latitude"))
      let longitude = try #require(names.firstIndex(of: "longitude"))
      return lines.dropFirst().compactMap { line in
        let parts = line.split(separator: ",", omittingEmptySubsequences: false)
        return coordinate(parts[latitude], parts[longitude])
      }
    case "/export.nmea":
      return text.matches(of: /GGA,[^,]*,([0-9.]+),([NS]),([0-9.]+),([EW])/).compactMap { match in
        guard let latitude = degrees(match.1, 2, isNegative: match.2 == "S"),
          let longitude = degrees(match.3, 3, isNegative: match.4 == "W")
        else { return nil }
        return Coordinate(latitude: latitude, longitude: longitude)
      }
    case "/coordinates":
      return text.matches(of: /Z",(-?[0-9.]+),(-?[0-9.]+)\]/).compactMap { coordinate($0.1, $0.2) }
    default:
      let json = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
      return columns(json ?? [:])
    }
  }

  static let period = "from=2026-03-01T00:00:00Z&to=2026-03-10T00:00:00Z"
  /// The responses with positions.
  static let tracks = [
    "/export.gpx?with=visits,events", "/export.kml?with=visits,events", "/export.geojson?with=visits,events",
    "/export.csv", "/export.nmea", "/export.gpx?simplify=20", "/track?\(period)",
    "/track?\(period)&resolution_m=20", "/coordinates?lookback_hours=87600", "/visits",
  ]
  /// The responses without any.
  static let others = [
    "/days", "/timeline?\(period)", "/why?\(period)&longer=1m", "/trips/past", "/events", "/energy?by=day",
    "/metrics", "/status", "/sends", "/test", "/healthz",
  ]

  @Test(arguments: 0..<18 as Range<UInt64>) func nothingInsideAZoneIsInAnyResponse(seed: UInt64) throws {
    let world = try World(seed: seed)
    let bench = try HTTPBench()
    let writer = LogWriter(
      directory: bench.directory + "/log", allowVolatile: true,
      options: LogOptions(bootID: "before", clock: { .zero }))
    _ = writer.handle(.append(world.records, urgent: false))
    _ = writer.handle(.close)
    let zones = "privacy_zones=[\(world.zones.map(\.json).joined(separator: ", "))]"
    let running = try LocalAPITests.logger(on: bench, extra: [zones])
    defer { running.logger.stop() }
    #expect(try bench.run { running.logger.supervision.isReady })
    for path in Self.tracks + Self.others {
      let answer = try LocalAPITests.ask(running, "GET", path)
      #expect(answer.status == 200, "\(path)")
      #expect(!answer.text.contains("secret"), "seed \(seed) \(path) has the name of a zone or network in it")
    }
    for path in Self.tracks {
      let found = try Self.coordinates(try LocalAPITests.ask(running, "GET", path).text, of: path)
      let inside = found.filter(world.isInside)
      #expect(inside.isEmpty, "seed \(seed) \(path): \(inside.prefix(3)) of \(world.zones)")
      if ["/export.csv", "/coordinates?lookback_hours=87600"].contains(path) {
        #expect(
          world.expected.contains(found.count), "seed \(seed) \(path): \(found.count) of \(world.expected)")
      }
    }
    let hidden = world.locations.map(\.coordinate).filter(world.isInside)
    try #require(!hidden.isEmpty)
    for path in Self.others {
      let text = try LocalAPITests.ask(running, "GET", path).text
      for place in hidden {
        let numbers = [
          "\(place.latitudeE7)", "\(place.latitude)", "\(place.longitudeE7)", "\(place.longitude)",
        ]
        #expect(!numbers.contains { $0.count > 6 && text.contains($0) }, "seed \(seed) \(path)")
      }
    }
  }

  @Test(arguments: 0..<6 as Range<UInt64>) func nothingInsideAZoneIsInTheStream(seed: UInt64) throws {
    let world = try World(seed: seed)
    let bench = try HTTPBench()
    let zones = "privacy_zones=[\(world.zones.map(\.json).joined(separator: ", "))]"
    let running = try LocalAPITests.logger(on: bench, extra: [zones, "main.min_time=0s"])
    let logger = running.logger
    defer { logger.stop() }
    #expect(try bench.run { logger.supervision.isReady })
    let client = try RawHTTPClient(loop: bench.loop, path: bench.directory + "/api.sock")
    client.send(RawHTTPClient.request("GET", "/stream?sky=1"))
    func text() -> String { String(decoding: client.received, as: UTF8.self) }
    #expect(try bench.run { text().contains("event: status") })
    for (index, location) in world.locations.prefix(150).enumerated() {
      var fix = PowerTests.fix(Int64(index) * 10)
      (fix.latitude, fix.longitude) = (location.coordinate.latitude, location.coordinate.longitude)
      fix.horizontalAccuracy = 3
      logger.tracking.process(.epoch(fix, systemClock: Timestamp(milliseconds: 0)), now: bench.loop.now)
      logger.receiver.outputs.epochTaken(fix)
      // The publisher writes at the end of a turn.
      let status = try #require(logger.status.json)
      let shown = Self.positions(in: String(decoding: status, as: UTF8.self))
      #expect(!shown.contains { world.isInside($0) }, "seed \(seed) /status \(shown)")
      if index % 5 == 4 { try bench.run(for: .milliseconds(2)) }
    }
    logger.log.commit(now: bench.loop.now)
    #expect(try bench.run { logger.log.recordsWaiting == 0 })
    try bench.run(for: .milliseconds(50))
    let shown = Self.positions(in: text())
    #expect(shown.count > 20, "seed \(seed): \(shown.count) positions")
    let inside = shown.filter(world.isInside)
    #expect(inside.isEmpty, "seed \(seed): \(inside.prefix(3)) of \(world.zones)")
    #expect(!text().contains("secret"), "seed \(seed)")
  }

  /// The positions of all flat JSON objects in a text.
  private static func positions(in text: String) -> [Coordinate] {
    text.matches(of: /\{[^{}]*\}/).compactMap { object in
      let latitude = object.0.firstMatch(of: /"lat(?:itude)?":(-?[0-9.]+)/)
      let longitude = object.0.firstMatch(of: /"lon(?:gitude)?":(-?[0-9.]+)/)
      guard let latitude, let longitude else { return nil }
      return coordinate(latitude.1, longitude.1)
    }
  }
}
