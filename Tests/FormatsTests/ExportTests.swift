import Foundation
import History
import Quantities
import Records
import Testing
import TextSnapshots

import Formats

/// Exports of a log: their division into tracks and segments, what they leave out, and their formats as read by others.
@Suite struct ExportTests {
  static let texts = TextSnapshot("export")
  static let noon = Timestamp(milliseconds: 1_772_362_800_000)  // 2026-03-01T11:00:00Z
  static let formats: [ExportFormat] = [
    .gpx, .kml, .geoJSON, .geoJSONPoints, .geoJSONLines(isSequence: false), .geoJSONLines(isSequence: true),
    .csv(ExportColumn.allCases), .gpsbabelCSV, .nmea,
  ]

  /// A log that is built record by record.
  struct Log {
    var records: [StoredRecord] = []
    var boot: Int64 = 1

    mutating func add(_ body: LogRecord.Body, at seconds: Int?, milliseconds: Int64 = 0) {
      let time = seconds.map { noon + .seconds($0) + .milliseconds(milliseconds) }
      records.append(
        StoredRecord(
          id: RecordID(Int64(records.count) * 2 + 1), boot: boot,
          record: LogRecord(
            moment: Moment(nanoseconds: Int64(records.count)), time: time, timeQuality: .receiver, body: body)
        ))
    }

    mutating func location(
      _ seconds: Int?, _ latitude: Int32 = 525_200_100, _ longitude: Int32 = 134_049_500, trip: Int? = nil,
      change: (inout LocationRecord) -> Void = { _ in }
    ) {
      guard let coordinate = Coordinate(latitudeE7: latitude, longitudeE7: longitude) else { return }
      var location = LocationRecord(coordinate: coordinate, deviceID: "van")
      location.trip = trip.map { .utc(noon + .seconds($0)) }
      change(&location)
      add(.location(location), at: seconds)
    }

    mutating func trip(_ from: Int, _ to: Int, _ mode: TripMode) {
      add(
        .trip(
          TripRecord(
            mode: mode, start: .utc(noon + .seconds(from)), end: .utc(noon + .seconds(to)),
            durationMilliseconds: 0, distanceMillimetres: 1000, isManual: false, ending: .stop,
            device: DeviceState(deviceID: "van"))), at: to + 1)
    }
  }

  static func export(
    _ log: Log, _ format: ExportFormat, page: Int = 1000, zone: Duration = .zero, through: RecordID? = nil,
    name: String = "van & <co>", _ change: (inout ExportRequest) -> Void = { _ in }
  ) -> String {
    var request = ExportRequest()
    change(&request)
    var export = TrackExport(
      request, as: format,
      title: ExportTitle(creator: "Outrider 1.0", name: name, created: noon, zone: "UTC"),
      clock: WallClock { _ in zone }, after: .zero, through: through)
    var text: [UInt8] = []
    var steps = 0
    while !export.isOver, steps < 100_000 {
      let records = log.records.filter { $0.id > export.position }.prefix(page)
      text += export.take(records, through: records.last?.id)
      steps += 1
    }
    #expect(export.isOver)
    return String(decoding: text, as: UTF8.self)
  }

  /// Two trips, one of them over midnight, a gap, a restart, a visit, events, an undated location and a late one.
  static var day: Log {
    var log = Log()
    log.add(.event(EventRecord(.started, [.version: "1.0", .cause: "first_start"])), at: 0)
    log.location(1) {
      $0.altitudeMillimetres = 38_000
      $0.speedMillimetresPerSecond = 8450
      $0.courseMillidegrees = 213_000
      $0.horizontalAccuracyMillimetres = 3000
      $0.satellitesUsed = 11
      $0.horizontalDilutionTenths = 9
      $0.motion = [.driving]
      $0.batteryPercent = 87
      $0.wifi = "a, \"b\" & <c>"
    }
    log.location(2, 525_200_200) { $0.fixKind = .deadReckoning }
    log.location(nil, 525_200_300)
    for second in 3..<6 { log.location(second, 525_200_000 + Int32(second) * 100, trip: 3) }
    log.trip(3, 5, .car)
    log.location(400, 525_300_000)
    if let coordinate = Coordinate(latitudeE7: 525_300_000, longitudeE7: 134_000_000) {
      let visit = VisitRecord(
        coordinate: coordinate, arrival: .utc(noon + .seconds(400)), departure: .utc(noon + .seconds(460)),
        device: DeviceState(deviceID: "van"))
      log.add(.visit(visit), at: 461)
    }
    log.boot = 2
    log.add(.event(EventRecord(.started, [.version: "1.0", .cause: "power_loss"])), at: 470)
    log.location(471, 525_300_100)
    for second in 46_790..<46_810 { log.location(second, 525_300_000 + Int32(second), trip: 46_790) }
    log.trip(46_790, 46_809, .train)
    log.location(46_900, 525_400_000)
    log.location(46_850, 525_400_000)
    return log
  }

  @Test(arguments: [1, 3, 20, 1000])
  func thePagesInWhichTheLogIsReadDoNotChangeTheFile(page: Int) {
    for format in Self.formats {
      for split in ExportRequest.Split.allCases {
        let change = { (request: inout ExportRequest) in
          request.split = split
          request.hasEvents = true
          request.tolerance = 5
        }
        #expect(Self.export(Self.day, format, page: page, change) == Self.export(Self.day, format, change))
      }
    }
  }

  @Test func everyFormatIsAsExpected() {
    for format in Self.formats {
      let text = Self.export(Self.day, format) { $0.hasEvents = true }
      let shown = text.replacingOccurrences(of: "\r", with: "␍").replacingOccurrences(of: "\u{1E}", with: "␞")
      #expect(shown == Self.texts.expected("\(format)".components(separatedBy: "([")[0], shown))
    }
  }

  /// The names of the tracks and the numbers of points of their segments.
  private static func tracks(_ gpx: String) -> [String] {
    gpx.components(separatedBy: "<trk><name>").dropFirst().map { track in
      let segments = track.components(separatedBy: "<trkseg>").dropFirst().map {
        String($0.components(separatedBy: "<trkpt").count - 1)
      }
      return track.components(separatedBy: "</name>")[0] + ": " + segments.joined(separator: ", ")
    }
  }

  @Test func aTrackIsATripAndOneADayTheTimeBetween() {
    #expect(
      Self.tracks(Self.export(Self.day, .gpx)) == [
        "2026-03-01 between trips: 2, 1, 1", "2026-03-01 11:00 car: 3", "2026-03-01 23:59 train: 20",
        "2026-03-02 between trips: 1, 1",
      ], "a trip over midnight is one track; a gap, a restart and a step back begin a segment")
    #expect(
      Self.tracks(Self.export(Self.day, .gpx, zone: .seconds(3600))).map { $0.prefix(20) }
        == ["2026-03-01 between t", "2026-03-01 12:00 car", "2026-03-02 between t", "2026-03-02 00:59 tra"],
      "days and names are local")
    #expect(
      Self.tracks(Self.export(Self.day, .gpx) { $0.split = .none }) == [
        "van &amp; &lt;co&gt;: 5, 1, 1, 21, 1"
      ])
    #expect(Self.tracks(Self.export(Self.day, .gpx) { $0.split = .day }).count == 2)
    #expect(Self.tracks(Self.export(Self.day, .gpx) { $0.split = .gap }).count == 5)
    #expect(
      Self.tracks(Self.export(Self.day, .gpx) { $0.trip = Self.noon + .seconds(3) }) == [
        "2026-03-01 11:00 car: 3"
      ])
  }

  @Test func theChoiceOfLocationsIsFollowed() {
    func points(_ change: (inout ExportRequest) -> Void) -> Int {
      Self.export(Self.day, .csv([.id]), change).split(separator: "\r\n").count - 1
    }
    #expect(points { _ in } == 29, "the undated location is left out")
    #expect(points { $0.from = Self.noon + .seconds(3) } == 27)
    #expect(points { $0.to = Self.noon + .seconds(3) } == 2)
    #expect(points { $0.worstAccuracy = 2 } == 28)
    #expect(points { $0.interval = .seconds(10) } == 8, "at most one in ten seconds of each segment")
    #expect(points { ($0.from, $0.to) = (Self.noon + .seconds(500), Self.noon + .seconds(600)) } == 0)
    #expect(Self.export(Self.day, .csv([.id]), through: RecordID(5)).split(separator: "\r\n").count == 3)
  }

  @Test func simplificationKeepsTheEndsOfSegmentsAndThePlacesOfEvents() {
    var log = Log()
    for second in 0..<5000 { log.location(second, 0, Int32(second) * 500) }
    #expect(Self.export(log, .csv([.id])) { $0.tolerance = 5 }.split(separator: "\r\n").count == 7)
    log.add(.event(EventRecord(.zoneEntered, [.zone: "home"])), at: 5000)
    for second in 5001..<5100 { log.location(second, 0, Int32(second) * 500) }
    log.location(6000, 0, 6000 * 500)
    let ids = Self.export(log, .csv([.id])) { $0.tolerance = 5 }.split(separator: "\r\n").dropFirst().map(
      String.init)
    #expect(ids == ["3", "2003", "4003", "6003", "8003", "9999", "10199", "10201"])
  }

  @Test func aLineOverTheDateLineIsDividedThere() throws {
    var log = Log()
    log.location(0, 100, 1_799_999_000)
    log.location(10, 300, -1_799_999_000)
    log.location(20, 300, -1_799_998_000)
    let object =
      try JSONSerialization.jsonObject(with: Data(Self.export(log, .geoJSON).utf8)) as? [String: Any]
    let lines = (object?["features"] as? [[String: Any]])?.compactMap { feature in
      (feature["geometry"] as? [String: Any])?["coordinates"] as? [[Double]]
    }
    #expect(
      lines == [
        [[179.9999, 0.00001], [180, 0.00002]],
        [[-180, 0.00002], [-179.9999, 0.00003], [-179.9998, 0.00003]],
      ])
    #expect(object?["crs"] == nil)
  }

  struct Edge: Sendable, CustomTestStringConvertible {
    let place: String
    /// Latitude and longitude in 1e-7 degrees.
    let points: [(Int32, Int32)]
    var testDescription: String { place }
  }

  static let edges = [
    Edge(
      place: "the north pole",
      points: [
        (899_999_990, 0), (900_000_000, 0), (900_000_000, 1_800_000_000), (900_000_000, -1_800_000_000),
        (899_999_990, -1_799_999_999),
      ]),
    Edge(
      place: "the south pole",
      points: [(-899_999_990, 1), (-900_000_000, -1), (-900_000_000, 900_000_000), (-899_000_000, 2)]),
    Edge(
      place: "the date line",
      points: [
        (0, 1_799_999_990), (0, 1_800_000_000), (0, -1_800_000_000), (0, -1_799_999_990), (0, 1_800_000_000),
      ]),
    Edge(
      place: "along the date line",
      points: (0..<40).map { (Int32($0) * 1000, $0 % 2 == 0 ? 1_800_000_000 : -1_800_000_000) }),
    Edge(
      place: "from corner to corner",
      points: [
        (900_000_000, 1_800_000_000), (-900_000_000, -1_800_000_000), (900_000_000, -1_800_000_000),
        (-900_000_000, 1_800_000_000), (0, 0),
      ]),
    Edge(
      place: "across the date line with half of the earth",
      points: [(0, 900_000_001), (0, -900_000_001), (1, 1)]),
  ]

  /// Numbers of a text that a pattern finds, which are degrees up to a limit.
  private static func areDegrees(_ text: String, _ pattern: Regex<(Substring, Substring)>, _ limit: Double)
    -> Bool
  {
    text.matches(of: pattern).allSatisfy { Double($0.1).map { abs($0) <= limit } ?? false }
  }

  @Test(arguments: edges) func tracksAtPolesAndTheDateLineAreValidFiles(_ edge: Edge) throws {
    var log = Log()
    for (second, point) in edge.points.enumerated() { log.location(second, point.0, point.1) }
    for tolerance in [nil, 5, 1e6] as [Double?] {
      func text(_ format: ExportFormat) -> String { Self.export(log, format) { $0.tolerance = tolerance } }
      let (gpx, kml, csv) = (text(.gpx), text(.kml), text(.csv(ExportColumn.allCases)))
      #expect(XMLCheck.isWellFormed(gpx) && XMLCheck.isWellFormed(kml))
      #expect(Self.areDegrees(gpx, /lat="([^"]*)"/, 90) && Self.areDegrees(gpx, /lon="([^"]*)"/, 180))
      // Excluded by the schema of GPX 1.1.
      #expect(!gpx.contains(#"lon="180""#))
      #expect(Self.areDegrees(gpx, /minlat="([^"]*)"/, 90) && Self.areDegrees(gpx, /maxlon="([^"]*)"/, 180))
      #expect(Self.areDegrees(kml, /<gx:coord>([^ ]*)/, 180))
      let count = csv.split(separator: "\r\n").count - 1
      #expect(count <= edge.points.count)
      #expect(count >= 2 && text(.nmea).components(separatedBy: "GGA").count - 1 == count)
      for sentence in text(.nmea).matches(of: /GGA,[^,]*,([0-9.]+),[NS],([0-9.]+),[EW]/) {
        #expect(Double(sentence.1) ?? 1e6 <= 9000 && Double(sentence.2) ?? 1e6 <= 18_000, "\(sentence.0)")
      }
      let object = try JSONSerialization.jsonObject(with: Data(text(.geoJSON).utf8)) as? [String: Any]
      for feature in (object?["features"] as? [[String: Any]]) ?? [] {
        let geometry = feature["geometry"] as? [String: Any]
        guard let line = geometry?["coordinates"] as? [[Double]] else {
          #expect(geometry?["type"] as? String == "Point", "a line has two positions at least")
          continue
        }
        let times = (feature["properties"] as? [String: Any])?["coordTimes"] as? [String]
        #expect(line.count >= 2 && times?.count == line.count && times == times?.sorted())
        #expect(line.allSatisfy { abs($0[0]) <= 180 && abs($0[1]) <= 90 })
        #expect(zip(line, line.dropFirst()).allSatisfy { abs($0[0] - $1[0]) <= 180 }, "\(line)")
      }
    }
  }

  /// XML 1.0 section 2.2.
  @Test func charactersThatXMLDoesNotAllowAreReplaced() {
    var log = Log()
    log.location(0)
    for format in [ExportFormat.gpx, .kml] {
      let text = Self.export(log, format, name: "a\u{FFFE}b\u{FFFF}\u{1}ü€😀")
      #expect(text.contains("a?b??ü€😀"), "\(format)")
      #expect(text.unicodeScalars.allSatisfy { $0.value != 0xFFFE && $0.value != 0xFFFF }, "\(format)")
    }
  }

  @Test func emptyLogsAndSinglePointsAreWellFormed() throws {
    var one = Log()
    one.location(0)
    var undated = Log()
    undated.location(nil)
    for log in [Log(), one, undated] {
      for format in Self.formats {
        let text = Self.export(log, format)
        switch format {
        case .gpx, .kml: #expect(XMLCheck.isWellFormed(text), "\(format)")
        case .geoJSON, .geoJSONPoints: _ = try JSONSerialization.jsonObject(with: Data(text.utf8))
        case .geoJSONLines, .csv, .gpsbabelCSV, .nmea: break
        }
      }
    }
  }

  @Test func aLongSegmentIsWrittenInPiecesThatShareAPoint() throws {
    var log = Log()
    for second in 0..<12_000 { log.location(second, Int32(second), 0) }
    log.location(13_000)
    let text = Self.export(log, .geoJSON)
    let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
    let lengths = (object?["features"] as? [[String: Any]])?.compactMap { feature in
      ((feature["properties"] as? [String: Any])?["coordTimes"] as? [String])?.count
    }
    // The first location is at latitude 0 and longitude 0, which means no position.
    #expect(lengths == [5000, 5000, 2001, 1])
    #expect(Self.export(log, .kml).components(separatedBy: "<gx:Track>").count == 5)
  }

  @Test func theTwoRecordsOfAVisitAreOneWaypoint() throws {
    var log = Log()
    let coordinate = try #require(Coordinate(latitude: 52, longitude: 13))
    log.location(0)
    for (arrival, departure) in [(10, nil), (10, 90_000), (90_100, nil)] as [(Int, Int?)] {
      log.add(
        .visit(
          VisitRecord(
            coordinate: coordinate, arrival: .utc(Self.noon + .seconds(arrival)),
            departure: departure.map { .utc(Self.noon + .seconds($0)) }, device: DeviceState(deviceID: "van"))
        ),
        at: (departure ?? arrival) + 1)
      log.location((departure ?? arrival) + 2)
    }
    for (format, mark) in [(ExportFormat.gpx, "<wpt"), (.kml, "<Point>"), (.geoJSON, #""type":"visit""#)] {
      #expect(Self.export(log, format).components(separatedBy: mark).count == 3, "\(format)")
    }
  }

  // MARK: Other programs

  /// Runs a program, and returns its standard output; nil if it fails.
  static func run(_ path: String, _ arguments: [String], input text: String, name: String) throws -> String? {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("export-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent(name)
    try text.write(to: file, atomically: false, encoding: .utf8)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments.map { $0 == "FILE" ? file.path : $0 }
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return process.terminationStatus == 0 ? String(decoding: data, as: UTF8.self) : nil
  }

  static func has(_ program: String) -> Bool {
    FileManager.default.isExecutableFile(atPath: "/usr/bin/\(program)")
  }

  @Test(
    .enabled(
      if: TrackFileTests.validator != nil && TrackFileTests.schema != nil,
      "xmllint or the schema in ../shared/face is absent: sudo apt-get install libxml2-utils"))
  func gpxIsValid() throws {
    let schema = try #require(TrackFileTests.schema)
    var empty = Log()
    empty.location(nil)
    for log in [Self.day, empty, Log()] {
      for split in ExportRequest.Split.allCases {
        let text = Self.export(log, .gpx) { ($0.split, $0.hasEvents) = (split, true) }
        let output = try Self.run(
          "/usr/bin/xmllint", ["--noout", "--schema", schema, "FILE"], input: text, name: "a.gpx")
        #expect(output != nil, "\(split)")
      }
    }
  }

  @Test(
    .enabled(if: has("gpsbabel"), "gpsbabel is absent: sudo apt-get install gpsbabel"),
    arguments: [
      ("gpx", ExportFormat.gpx), ("unicsv", .gpsbabelCSV), ("nmea", .nmea), ("kml", .kml),
    ])
  func gpsbabelReadsEveryPosition(name: String, format: ExportFormat) throws {
    var log = Log()
    for second in 0..<300 {
      log.location(second, 525_200_000 + Int32(second) * 997, 134_000_000 - Int32(second) * 1013)
    }
    let text = Self.export(log, format)
    let read = try #require(
      try Self.run(
        "/usr/bin/gpsbabel", ["-t", "-i", name, "-f", "FILE", "-o", "unicsv,prec=7", "-F", "-"], input: text,
        name: "a"))
    var positions = Set<String>()
    for line in read.split(whereSeparator: \.isNewline).dropFirst() {
      let fields = line.split(separator: ",", omittingEmptySubsequences: false)
      positions.insert("\(fields[1]),\(fields[2])")
    }
    var wanted = Set<String>()
    for second in 0..<300 {
      let latitude = Double(525_200_000 + second * 997) / 1e7
      let longitude = Double(134_000_000 - second * 1013) / 1e7
      wanted.insert(String(format: "%.7f,%.7f", latitude, longitude))
    }
    #expect(positions == wanted, "\(read.prefix(200))")
  }

  /// All parts of a text between two marks.
  private static func parts(_ text: String, _ begin: String, _ end: String) -> [String] {
    text.components(separatedBy: begin).dropFirst().map { $0.components(separatedBy: end)[0] }
  }

  /// What a point of GPX says: its position to 1e-7 degrees, its time, and its speed in m/s.
  private static func points(_ gpx: String) -> [String] {
    parts(gpx, "<trkpt ", "</trkpt>").map { point in
      let position = ["lat=\"", "lon=\""].map { mark in
        String(format: "%.7f", parts(point, mark, "\"").first.flatMap { Double($0) } ?? .nan)
      }
      let time = parts(point, "<time>", "</time>").map { $0.replacingOccurrences(of: ".000Z", with: "Z") }
      return (position + time + parts(point, "<gpxtpx:speed>", "</")).joined(separator: " ")
    }
  }

  @Test(.enabled(if: has("gpsbabel"), "gpsbabel is absent: sudo apt-get install gpsbabel"))
  func gpsbabelReturnsEveryPointOfGPX() throws {
    var log = Self.day
    for second in 47_000..<47_300 {
      log.location(second, 525_200_000 + Int32(second) * 997, 134_000_000 - Int32(second) * 1013) {
        $0.speedMillimetresPerSecond = Int32(second) * 7 % 40_000
      }
    }
    let text = Self.export(log, .gpx)
    let sent = Self.points(text)
    func converted(to format: String) throws -> String {
      try #require(
        try Self.run(
          "/usr/bin/gpsbabel", ["-t", "-i", "gpx", "-f", "FILE", "-o", format, "-F", "-"], input: text,
          name: "a.gpx"))
    }
    let returned = try converted(to: "gpx")
    #expect(sent.count > 300 && Self.points(returned) == sent)
    #expect(Self.parts(returned, "<trkseg>", "</").count == Self.parts(text, "<trkseg>", "</").count)
    let tracks = Self.parts(
      try converted(to: "kml,points=0,lines=0,track=1,prec=7"), "<gx:Track>", "</gx:Track>"
    )
    let times = tracks.flatMap { Self.parts($0, "<when>", "</when>") }
    let positions = tracks.flatMap { Self.parts($0, "<gx:coord>", "</gx:coord>") }.map { place in
      place.split(separator: " ").prefix(2).reversed().map { String(format: "%.7f", Double($0) ?? .nan) }
        .joined(separator: " ")
    }
    #expect(zip(positions, times).map { "\($0) \($1)" } == sent.map(Self.withoutSpeed))
    #expect(positions.count == times.count)
  }

  private static func withoutSpeed(_ point: String) -> String {
    point.split(separator: " ").prefix(3).joined(separator: " ")
  }

  @Test(.enabled(if: has("ogrinfo"), "ogrinfo is absent: sudo apt-get install gdal-bin"))
  func gdalReadsKMLAndGeoJSON() throws {
    for (format, name) in [
      (ExportFormat.kml, "a.kml"), (.geoJSON, "a.geojson"), (.geoJSONPoints, "b.geojson"),
    ] {
      let text = Self.export(Self.day, format) { $0.hasEvents = true }
      let output = try #require(
        try Self.run("/usr/bin/ogrinfo", ["-ro", "-al", "-q", "FILE"], input: text, name: name))
      #expect(output.contains("LINESTRING") || output.contains("POINT"), "\(output.prefix(300))")
    }
  }

  @Test func csvIsReadBack() throws {
    let rows = Self.export(Self.day, .csv([.wifi, .time, .latitude])).components(separatedBy: "\r\n")
    #expect(rows[0] == "wifi,time,latitude")
    #expect(rows[1] == #""a, ""b"" & <c>",2026-03-01T11:00:01.000Z,52.52001"#)
    #expect(rows.last == "")
  }
}

/// Checks that every start tag has its end tag.
private enum XMLCheck {
  static func isWellFormed(_ text: String) -> Bool {
    var open: [Substring] = []
    for part in text.split(separator: "<").dropFirst() where !part.hasPrefix("?") {
      guard let tag = part.split(separator: ">", omittingEmptySubsequences: false).first else { return false }
      let name = tag.split(separator: " ")[0]
      if name.hasPrefix("/") {
        guard open.popLast() == name.dropFirst() else { return false }
      } else if !tag.hasSuffix("/") {
        open.append(name)
      }
    }
    return open.isEmpty && text.hasPrefix("<?xml")
  }
}
