import Foundation
import Quantities
import TestSupport
import Testing
@testable import GNSSProtocol
import GNSSReport

/// A decoder with reports of satellites in view.
struct SatelliteReportBench {
  var bench = Bench()
  var satelliteReports: [SatelliteReport] = []

  init() { bench.decoder.reportsSatellites = true }

  mutating func send(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { bytes in
      bench.decoder.decode(bytes, at: .zero) {
        if case .satelliteReport(let satelliteReport) = $0 { satelliteReports.append(satelliteReport) }
      }
    }
  }

  mutating func finish() {
    bench.decoder.finish {
      if case .satelliteReport(let satelliteReport) = $0 { satelliteReports.append(satelliteReport) }
    }
  }
}

@Suite struct SatelliteReportTests {
  static func satelliteReports(_ text: String) -> [SatelliteReport] {
    var bench = SatelliteReportBench()
    bench.send(sentences(text))
    bench.finish()
    return bench.satelliteReports
  }

  static func prns(_ satelliteReport: SatelliteReport) -> [Int] { satelliteReport.satellites.map(\.id.prn) }
  static func used(_ satelliteReport: SatelliteReport) -> [Int] {
    satelliteReport.satellites.filter(\.isUsed).map(\.id.prn)
  }

  @Test func groupsAndListsOfAnEpochBecomeOneReport() throws {
    let satelliteReports = Self.satelliteReports(
      "GNRMC,100000.00,A GNGSA,A,3,02,,,,,,,,,,,,1.5,0.9,1.2,1 GNGSA,A,3,70,,,,,,,,,,,,1.5,0.9,1.2,2 "
        + "GPGSV,2,1,05,02,10,020,30,03,11,021,,04,12,022,32,05,13,023,33,1 GPGSV,2,2,05,40,14,024,34,1 "
        + "GPGSV,1,1,01,02,10,020,41,6 GLGSV,1,1,01,70,15,360,35,1 GNGLL,,,,,100000.00,A "
        + "GNRMC,100001.00,A GNGSA,A,3,03,,,,,,,,,,,,1.5,0.9,1.2,1 GPGSV,1,1,01,03,11,021,36,1")
    #expect(satelliteReports.count == 2)
    let satelliteReport = try #require(satelliteReports.first)
    #expect(satelliteReport.millisecondOfDay == 36_000_000)
    #expect(Self.prns(satelliteReport) == [2, 3, 4, 5, 40, 70])
    #expect(Self.used(satelliteReport) == [2, 70])
    #expect(satelliteReport.satellites[0].signal == 41, "the better of two signals")
    #expect(satelliteReport.satellites[1].signal == nil)
    #expect(satelliteReport.satellites[4].id == SatelliteID(.sbas, 127))
    #expect(satelliteReport.satellites[5].azimuth == 0)
    #expect(
      (satelliteReport.positionDilution, satelliteReport.horizontalDilution, satelliteReport.verticalDilution)
        == (1.5, 0.9, 1.2))
    #expect(satelliteReports[1].millisecondOfDay == 36_001_000)
    #expect(Self.used(satelliteReports[1]) == [3])
  }

  @Test(arguments: [
    "GPGSV,1,1,01,0%,10,020,30 GPGSA,A,3,0%,,,,,,,,,,,,1,1,1 GPRMC,10000%.00,A GPGGA,10000%.00,",
    "GPGSA,A,3,0%,,,,,,,,,,,,1,1,1 GPGSV,1,1,01,0%,10,020,30 GPRMC,10000%.00,A GPGGA,10000%.00,",
    "GPRMC,10000%.00,A GPGSV,1,1,01,0%,10,020,30 GPGGA,10000%.00, GPGSA,A,3,0%,,,,,,,,,,,,1,1,1",
    "GPGGA,10000%.00, GPGSA,A,3,0%,,,,,,,,,,,,1,1,1 GPGSV,1,1,01,0%,10,020,30 GPRMC,10000%.00,A",
  ])
  func theOrderWithinTheEpochDoesNotMatter(epoch: String) {
    let satelliteReports = Self.satelliteReports(
      (1...4).map { epoch.replacingOccurrences(of: "%", with: "\($0)") }
        .joined(separator: " "))
    #expect(satelliteReports.map(\.millisecondOfDay) == [36_001_000, 36_002_000, 36_003_000, 36_004_000])
    #expect(satelliteReports.map(Self.used) == [[1], [2], [3], [4]])
  }

  /// The sentences of an epoch, and the reports at the beginning whose time is not known yet.
  static let orders: [(order: String, step: Int, untimed: Int)] = [
    ("RMC GSV", 1000, 0), ("GSV RMC", 1000, 0), ("RMC GSV", 200, 0), ("RMC GSA GSV", 1000, 0),
    ("GSA GSV RMC", 1000, 0), ("GSV GSA RMC", 1000, 0), ("GGA RMC GSV", 1000, 0), ("RMC GSV GGA", 1000, 0),
    ("GGA GSV RMC", 1000, 0), ("ZDA GGA GSV", 1000, 0), ("GGA GSV ZDA", 1000, 0), ("RMC VTG GSV", 1000, 0),
    ("RMC GSV VTG", 1000, 0), ("GSV RMC GGA", 1000, 0), ("GNS ZDA GSV", 100, 0), ("GLL GSV ZDA", 1000, 0),
  ]

  /// Also at midnight: the date is that of the epoch.
  @Test(arguments: orders, [36_000_000, 86_396_000])
  func everyReportHasTheTimeOfItsEpoch(_ row: (order: String, step: Int, untimed: Int), start: Int) {
    var bytes: [UInt8] = []
    var expected: [Timestamp] = []
    for index in 0..<12 {
      let timestamp = Timestamp(milliseconds: 1_777_766_400_000 + Int64(start + index * row.step))
      expected.append(timestamp)
      let text = timestamp.iso8601(fraction: .milliseconds)
      let parts = text.split { !$0.isNumber }.map(String.init)
      let clock = parts[3] + parts[4] + parts[5] + "." + parts[6]
      let position = "4630.0000,N,00815.0000,E"
      for kind in row.order.split(separator: " ") {
        let body =
          switch kind {
          case "RMC": "GPRMC,\(clock),A,\(position),0.00,,\(parts[2] + parts[1] + parts[0].suffix(2)),,,A"
          case "GGA": "GPGGA,\(clock),\(position),1,09,0.9,412.0,M,48.0,M,,"
          case "GNS": "GPGNS,\(clock),\(position),AN,09,0.9,412.0,48.0,,"
          case "GLL": "GPGLL,\(position),\(clock),A,A"
          case "ZDA": "GPZDA,\(clock),\(parts[2]),\(parts[1]),\(parts[0]),00,00"
          case "VTG": "GPVTG,,T,,M,0.0,N,0.0,K,A"
          case "GSA": "GPGSA,A,3,02,08,10,,,,,,,,,,1.8,0.9,1.5"
          case _: "GPGSV,1,1,03,02,60,274,\(20 + index),08,67,213,28,10,55,067,26"
          }
        bytes += sentence(body)
      }
    }
    var bench = SatelliteReportBench()
    bench.send(bytes)
    bench.finish()
    #expect(bench.satelliteReports.map { $0.satellites.first?.signal } == (0..<12).map { UInt8(20 + $0) })
    #expect(bench.satelliteReports.map(\.timestamp) == expected, "\(row.order)")
  }

  @Test func epochsWithoutATimeAreDistinguished() {
    let satelliteReports = Self.satelliteReports(
      "GPRMC,,V GPGSA,A,1 GPGSV,1,1,01,01,,,30 GPRMC,,V GPGSA,A,1 GPGSV,1,1,01,02,,,31 GPRMC,,V "
        + "GPGSV,1,1,01,03,,,32")
    #expect(satelliteReports.map(Self.prns) == [[1], [2], [3]])
    #expect(satelliteReports.allSatisfy { $0.millisecondOfDay == nil })
  }

  @Test func rareSatelliteReportsUseTheListOfTheirEpoch() {
    let satelliteReports = Self.satelliteReports(
      "GPGSA,A,3,01,,,,,,,,,,,,1,1,1 GPRMC,100001.00,A GPGSA,A,3,02,,,,,,,,,,,,1,1,1 "
        + "GPGSV,1,1,02,01,,,,02,,,44 GPRMC,100002.00,A GPGSA,A,3,01,,,,,,,,,,,,1,1,1 GPRMC,100003.00,A")
    #expect(satelliteReports.map(\.millisecondOfDay) == [36_002_000])
    #expect(satelliteReports.map(Self.used) == [[2]])
  }

  @Test(arguments: [
    ("GPGSV,1,1,00", []), ("GPGSV,1,1,00,0", []), ("PQGSV,1,1,0,0", []),
    ("GPGSV,1,1,01,44,33,219,36,,,,,,,,,,,,", [44]), ("GLGSV,1,1,03,,,,52,1", []),
    ("GPGSV,1,1,04,01,,,,02,,,,03,,,,33,,,", [1, 2, 3, 33]), ("PQGSV,1,1,01,10,36,054,17,0", [410]),
    ("PQGSV,1,1,01,09,16,119,,0,4", [409]), ("GAGSV,1,1,01,33,52,060,46,7", [333]),
    ("GBGSV,1,1,02,04,,,,45,,,,1", [404, 445]), ("BDGSV,1,1,01,212,1,2,3", [412]),
    ("GQGSV,1,1,01,03,52,060,46,1", [195]), ("GPGSV,1,1,01,199,52,060,46", [199]),
    ("GNGSV,1,1,01,301,52,060,46", [301]), ("GPGSV,1,1,01,999,52,060,46", []), ("GPGSV,x,1,01,01", []),
    ("GPGSV,1,0,01,01,52,060,46", []), ("GIGSV,1,1,01,07,52,060,46,1", [507]),
  ])
  func numbersIdentifyTheirSystem(sentence: String, prns: [Int]) {
    #expect(Self.satelliteReports(sentence).flatMap(Self.prns) == prns)
  }

  @Test func theNumberOfSatellitesIsLimited() {
    var bench = SatelliteReportBench()
    for start in [1, 65, 301, 401] {
      for number in 0..<(start == 401 ? 63 : 32) {
        bench.send(
          sentences("GNGSV,9,2,99,\(start + number),10,020,30 GNGSA,A,3,\(start + number),,,,,,,,,,,,1,1,1"))
      }
    }
    bench.finish()
    #expect(bench.satelliteReports.map(\.satellites.count) == [SatelliteReport.limit])
    #expect(bench.satelliteReports.map(\.used) == [SatelliteReport.limit])
  }

  @Test func damagedValuesAreAbsent() throws {
    let satelliteReport = try #require(Self.satelliteReports("GPGSV,1,1,02,01,91,361,100,02,-5,-1,x").first)
    #expect(
      satelliteReport.satellites.allSatisfy { $0.elevation == nil && $0.azimuth == nil && $0.signal == nil })
  }

  @Test func theReportHasTheKeysOfGPSD() throws {
    var satelliteReport = try #require(
      Self.satelliteReports(
        "GPRMC,100000.00,A GPGSA,A,3,02,,,,,,,,,,,,1.5,0.9,1.2 GPGSV,1,1,02,02,10,020,30,03,,,"
      )
      .first)
    satelliteReport.timestamp = Timestamp(iso8601: "2026-03-01T10:00:00Z")
    var text: [UInt8] = []
    SKY.append(satelliteReport, to: &text)
    #expect(
      String(decoding: text, as: UTF8.self)
        == #"{"class":"SKY","time":"2026-03-01T10:00:00.000Z","vdop":1.2,"hdop":0.9,"pdop":1.5,"nSat":2,"#
        + #""uSat":1,"satellites":[{"PRN":2,"gnssid":0,"svid":2,"az":20,"el":10,"ss":30,"used":true},"#
        + #"{"PRN":3,"gnssid":0,"svid":3,"used":false}]}"# + "\n")
    #expect(try JSONSerialization.jsonObject(with: Data(text)) is [String: Any])
  }

  @Test func theCountIsTheSumOverTalkersAndExpires() {
    var count = SatelliteCount()
    #expect(count.value == nil)
    count.record(11, talker: .gps)
    count.record(9, talker: .gps)
    count.record(7, talker: .glonass)
    count.recordVendorCount(3)
    #expect(count.value == 21)
    count.beginEpoch()
    count.record(12, talker: .gps)
    #expect(count.value == 21, "the others have not arrived yet")
    count.record(7, talker: .glonass)
    count.recordVendorCount(3)
    #expect(count.value == 22)
    for _ in 0..<10 { count.beginEpoch() }
    #expect(count.value == 22)
    count.beginEpoch()
    #expect(count.value == nil)
    count.record(300, talker: .gps)
    count.recordBinaryCount(30)
    #expect(count.value == 30, "NAV-SAT counts all systems")
  }
}

/// Compares with the SKY reports of gpsd 3.22, which lists a satellite once per signal.
@Suite(
  .enabled(
    if: SharedRecordings.arePresent,
    "recordings are absent: put them in ../shared, or name their folder in OUTRIDER_SHARED"))
struct SatelliteReportRecordingTests {
  struct Seen: Hashable {
    var prn: Int
    var elevation: Int
    var azimuth: Int
    var signal: Int
  }

  struct View: Hashable {
    var seen: Set<Seen> = []
    /// Of GPS, SBAS and GLONASS; gpsd 3.22 counts the lists of the others as GPS or omits them.
    var used: Set<Int> = []
  }

  struct Recording: Sendable, CustomTestStringConvertible {
    let name: String
    let satelliteReports: Int
    /// Number of reports with exactly the satellites of gpsd, and of those the number with the same used
    /// ones.
    let alike: Int
    let usedAlike: Int
    var reason = ""
    var testDescription: String { name }
  }

  static let recordings = [
    Recording(name: "ublox-max-m8q.nmea", satelliteReports: 72, alike: 72, usedAlike: 72),
    Recording(
      name: "ublox-neo-m9n.nmea", satelliteReports: 61, alike: 0, usedAlike: 0,
      reason: "gpsd omits Galileo and BeiDou"),
    Recording(
      name: "flight-18min.nmea", satelliteReports: 1307, alike: 1307, usedAlike: 1167,
      reason: "GSA comes first here; gpsd uses the list of the previous epoch"),
    Recording(
      name: "ublox-f9k-drive-29min.nmea", satelliteReports: 1653, alike: 0, usedAlike: 0,
      reason: "gpsd mistakes Galileo 33 for SBAS 120 and a C/N0 without a number for SBAS 139"),
    Recording(
      name: "casic-l76k-dual.bin", satelliteReports: 130, alike: 129, usedAlike: 129,
      reason: "the first epoch"),
    Recording(
      name: "unicore-um621.nmea", satelliteReports: 20, alike: 0, usedAlike: 0,
      reason: "gpsd mistakes BeiDou and Galileo above 32 for SBAS"),
    Recording(
      name: "st-teseo-liv3f.nmea", satelliteReports: 30, alike: 29, usedAlike: 29,
      reason: "the last epoch is cut off"),
    Recording(
      name: "quectel-eg25-pqgsv.nmea", satelliteReports: 60, alike: 0, usedAlike: 0,
      reason: "gpsd mistakes the satellites of PQGSV for QZSS"),
    Recording(
      name: "modem-pqgsv-fix.nmea", satelliteReports: 34, alike: 21, usedAlike: 4,
      reason: "gpsd mistakes the satellites of PQGSV for QZSS and uses the list of the previous epoch"),
    Recording(name: "vessel-1hz-20min.nmea", satelliteReports: 240, alike: 240, usedAlike: 240),
    Recording(
      name: "sirf-amod-car-16min.nmea", satelliteReports: 125, alike: 119, usedAlike: 119,
      reason: "lines without a checksum"),
    Recording(
      name: "telit-he910-nofix-to-fix.nmea", satelliteReports: 223, alike: 188, usedAlike: 183,
      reason: "gpsd merges the epochs without a time"),
    Recording(name: "skytraq-dgps.nmea", satelliteReports: 32, alike: 32, usedAlike: 32),
    Recording(name: "ublox-lea-4h-coldstart.nmea", satelliteReports: 14, alike: 14, usedAlike: 14),
    Recording(name: "mtk-mt3339-pihat.nmea", satelliteReports: 6, alike: 6, usedAlike: 6),
    Recording(name: "quectel-l70-pmtk.nmea", satelliteReports: 3, alike: 3, usedAlike: 3),
    Recording(name: "sirfstar5.nmea", satelliteReports: 12, alike: 12, usedAlike: 12),
  ]

  static func expected(of name: String) throws -> [View] {
    let packed = "gnss/\(name).expected.json.gz"
    let path = SharedRecordings.exists(packed) ? packed : "gnss/\(name).expected.json"
    var views: [View] = []
    for line in try SharedRecordings.contents(of: path).split(separator: UInt8(ascii: "\n")) {
      guard line.starts(with: Data(#"{"class":"SKY""#.utf8)),
        let report = try JSONSerialization.jsonObject(with: line) as? [String: Any],
        let satellites = report["satellites"] as? [[String: Any]]
      else { continue }
      var best: [Int: Seen] = [:]
      var view = View()
      for satellite in satellites {
        func whole(_ key: String) -> Int { Int(satellite[key] as? Double ?? 0) }
        var seen = Seen(
          prn: whole("PRN"), elevation: whole("el"), azimuth: whole("az"), signal: whole("ss"))
        seen.signal = max(seen.signal, best[seen.prn]?.signal ?? 0)
        best[seen.prn] = seen
        if satellite["used"] as? Bool ?? false, seen.prn < 100 { view.used.insert(seen.prn) }
      }
      view.seen = Set(best.values)
      views.append(view)
    }
    return views
  }

  static func view(_ satelliteReport: SatelliteReport) -> View {
    View(
      seen: Set(
        satelliteReport.satellites.map {
          Seen(
            prn: $0.id.prn, elevation: Int($0.elevation ?? 0), azimuth: Int($0.azimuth ?? 0),
            signal: Int($0.signal ?? 0))
        }), used: Set(satelliteReport.satellites.filter { $0.isUsed && $0.id.prn < 100 }.map(\.id.prn)))
  }

  @Test(arguments: recordings)
  func satellitesMatchGPSD(_ recording: Recording) throws {
    let bytes = [UInt8](try SharedRecordings.contents(of: "gnss/\(recording.name)"))
    var bench = SatelliteReportBench()
    bench.send(bytes)
    bench.finish()
    let expected = try Self.expected(of: recording.name)
    let seen = Set(expected.map(\.seen))
    let views = bench.satelliteReports.map(Self.view)
    #expect(views.count == recording.satelliteReports)
    #expect(views.filter { seen.contains($0.seen) }.count == recording.alike)
    #expect(views.filter(Set(expected).contains).count == recording.usedAlike)
  }

  @Test func anUnfinishedReportHasNoDeadlineAfterTheRequestEnds() {
    var bench = SatelliteReportBench()
    bench.send(sentences("GPGSV,1,1,01,03,11,021,36,1"))
    #expect(bench.bench.decoder.nextTimeout != nil)
    bench.bench.decoder.reportsSatellites = false
    #expect(bench.bench.decoder.nextTimeout == nil)
    bench.finish()
    #expect(bench.satelliteReports.isEmpty)
  }
}
