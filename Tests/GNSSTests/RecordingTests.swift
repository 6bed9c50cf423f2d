import Foundation
import GNSSProtocol
import Quantities
import TestSupport
import Testing

/// Compares every recording with the output of gpsd 3.22, by time and position.
@Suite(
  .enabled(
    if: SharedRecordings.arePresent,
    "recordings are absent: put them in ../shared, or name their folder in OUTRIDER_SHARED"))
struct RecordingTests {
  struct Recording: Sendable, CustomTestStringConvertible {
    let name: String
    /// Number of fixes of this decoder.
    let fixes: Int
    /// Number of those at times that gpsd does not report.
    let beyondGPSD: Int
    /// Number of times at which gpsd reports a position and this decoder does not.
    var missing = 0
    let reason: String
    var testDescription: String { name }
  }

  /// gpsd omits the first NMEA epoch, because it learns the end of an epoch from the next.
  static let first = "gpsd omits the first epoch"

  static let recordings = [
    Recording(name: "casic-l76k-dual.bin", fixes: 130, beyondGPSD: 1, reason: first),
    Recording(
      name: "derived-bitflips.nmea", fixes: 237, beyondGPSD: 2,
      reason: "first epoch, and one whose damaged neighbour made gpsd close too late"),
    Recording(name: "derived-navpvt-110min.ubx", fixes: 4161, beyondGPSD: 0, reason: ""),
    Recording(name: "derived-newyear-2026.nmea", fixes: 61, beyondGPSD: 1, reason: first),
    Recording(name: "derived-wrongbaud-9600-as-38400.bin", fixes: 30, beyondGPSD: 1, reason: first),
    Recording(name: "flight-18min.nmea", fixes: 993, beyondGPSD: 1, reason: first),
    Recording(
      name: "gga-only-midnight.nmea", fixes: 500, beyondGPSD: 500,
      reason: "no date anywhere: gpsd omits the time of day, too"),
    Recording(name: "modem-pqgsv-fix.nmea", fixes: 36, beyondGPSD: 1, reason: first),
    Recording(
      name: "mtk-mt3301-clockjump.nmea", fixes: 4, beyondGPSD: 1,
      reason: "gpsd reports the first fix without its time"),
    Recording(name: "mtk-mt3339-pihat.nmea", fixes: 30, beyondGPSD: 1, reason: first),
    Recording(
      name: "quectel-eg25-pqgsv.nmea", fixes: 23, beyondGPSD: 1,
      reason: "gpsd reports the first fix of GP and GN without its time"),
    Recording(name: "quectel-l70-pmtk.nmea", fixes: 16, beyondGPSD: 1, reason: first),
    Recording(
      name: "sirf-amod-car-16min.nmea", fixes: 622, beyondGPSD: 2,
      reason: "first epoch, and one that gpsd joined to its neighbour"),
    Recording(name: "sirf-gt31-110min.nmea", fixes: 4161, beyondGPSD: 1, reason: first),
    Recording(name: "sirf-rmc-only-5h.nmea", fixes: 18934, beyondGPSD: 1, reason: first),
    Recording(name: "sirfstar5.nmea", fixes: 59, beyondGPSD: 1, reason: first),
    Recording(name: "skytraq-dgps.nmea", fixes: 96, beyondGPSD: 1, reason: first),
    Recording(
      name: "st-teseo-liv3f.nmea", fixes: 30, beyondGPSD: 2,
      reason: "the first epoch is a GLL without a date; the last does not have the end that gpsd expects"),
    Recording(name: "telit-he910-nofix-to-fix.nmea", fixes: 187, beyondGPSD: 1, reason: first),
    Recording(name: "ublox-8-config-acks.bin", fixes: 8, beyondGPSD: 1, reason: first),
    Recording(name: "ublox-f9k-drive-29min.nmea", fixes: 1654, beyondGPSD: 1, reason: first),
    Recording(name: "ublox-lea-4h-coldstart.nmea", fixes: 9, beyondGPSD: 0, reason: ""),
    Recording(
      name: "ublox-m10-navpvt.ubx", fixes: 16, beyondGPSD: 0, missing: 275,
      reason: "gpsd does not check gnssFixOK"),
    Recording(name: "ublox-max-m8q.nmea", fixes: 72, beyondGPSD: 1, reason: first),
    Recording(name: "ublox-neo-m9n.nmea", fixes: 61, beyondGPSD: 1, reason: first),
    Recording(name: "ublox-valset-session.bin", fixes: 0, beyondGPSD: 0, reason: "no fix in it"),
    Recording(name: "ublox-zed-f9r-mixed.bin", fixes: 30, beyondGPSD: 0, reason: ""),
    Recording(name: "unicore-um621.nmea", fixes: 16, beyondGPSD: 1, reason: first),
    Recording(
      name: "vessel-1hz-20min.nmea", fixes: 1202, beyondGPSD: 2,
      reason: "first epoch; the last one is cut off after its GGA"),
  ]

  @Test(arguments: recordings)
  func everyEpochBecomesOneFixAtItsPosition(_ recording: Recording) throws {
    let fixes = try Golden.fixes(of: recording.name)
    #expect(fixes.count == recording.fixes)
    let times = fixes.compactMap(\.timestamp?.milliseconds)
    #expect(Set(times).count == times.count, "a time was emitted twice")

    var byTime: [Int64: Fix] = [:]
    for fix in fixes { if let time = fix.timestamp?.milliseconds { byTime[time] = fix } }
    var missing = 0
    var matched: Set<Int64> = []
    for (time, position) in try Golden.expected(of: recording.name) {
      guard let fix = byTime[time] ?? byTime[time + 1] ?? byTime[time - 1] else {
        missing += 1
        continue
      }
      matched.insert(fix.timestamp?.milliseconds ?? 0)
      // gpsd's last report of a time may come from the sentence and ours from NAV-PVT: one unit of 1e-7.
      #expect(abs((fix.latitude ?? 0) - position.latitude) < 1.01e-7)
      #expect(abs((fix.longitude ?? 0) - position.longitude) < 1.01e-7)
    }
    #expect(missing == recording.missing)
    #expect(fixes.count - matched.count == recording.beyondGPSD)
  }

  /// gpsd omits the first epoch, and gives no position for the one at midnight.
  @Test func positionsWithoutADateAreComparedByTheirOrder() throws {
    let fixes = try Golden.fixes(of: "gga-only-midnight.nmea")
    let positions = try Golden.positionsInOrder(of: "gga-only-midnight.nmea")
    #expect(fixes.count == positions.count + 1)
    #expect(positions.count { $0 == nil } == 1)
    for (fix, position) in zip(fixes.dropFirst(), positions) {
      guard let position else { continue }
      #expect(fix.timestamp == nil && fix.millisecondOfDay != nil)
      #expect(abs((fix.latitude ?? 0) - position.latitude) < 1.01e-7)
      #expect(abs((fix.longitude ?? 0) - position.longitude) < 1.01e-7)
    }
  }

  @Test func theDerivedSolutionsAreExact() throws {
    let fixes = try Golden.fixes(of: "derived-navpvt-110min.ubx")
    let lines = String(
      decoding: try SharedRecordings.contents(of: "gnss/derived-navpvt-110min.ubx.truth.csv"), as: UTF8.self
    )
    .split(separator: "\n").dropFirst()
    #expect(fixes.count == lines.count)
    for (fix, line) in zip(fixes, lines) {
      let columns = line.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) ?? .nan }
      #expect(abs(Double(fix.timestamp?.milliseconds ?? 0) - columns[0] * 1000) <= 1)
      #expect(abs((fix.latitude ?? 0) - columns[1]) < 0.51e-7)
      #expect(abs((fix.longitude ?? 0) - columns[2]) < 0.51e-7)
      #expect(abs((fix.altitude ?? 0) - columns[3]) < 0.002)
      #expect(abs((fix.speed ?? 0) - columns[5]) < 0.002)
      #expect(abs((fix.horizontalAccuracy ?? 0) - columns[7]) < 0.002)
    }
  }

  /// Split before each RMC and sent a second apart, like a live line.
  @Test(arguments: [("ublox-f9k-drive-29min.nmea", 1654, 1640), ("flight-18min.nmea", 993, 900)])
  func aLiveLineGivesTheSameFixesMostlyWithoutDelay(name: String, fixes: Int, atOnce: Int) throws {
    let bytes = [UInt8](try SharedRecordings.contents(of: "gnss/\(name)"))
    var bench = Bench()
    var answered = 0
    var start = 0
    let mark = Array("RMC,".utf8)
    for index in bytes.indices.dropFirst(7).dropLast(4)
    where bytes[index] == mark[0] && Array(bytes[index..<index + 4]) == mark {
      let before = bench.fixes.count
      bench.send(Array(bytes[start..<index - 3]))
      answered += bench.fixes.count - before
      bench.wait(.seconds(1))
      start = index - 3
    }
    bench.send(Array(bytes[start...]))
    bench.finish()
    #expect(bench.fixes.filter { $0.kind != .none }.count == fixes)
    #expect(answered >= atOnce)
    let whole = try Golden.fixes(of: name)
    #expect(zip(whole, bench.fixes.filter { $0.kind != .none }).allSatisfy { $0.latitude == $1.latitude })
  }

  @Test(arguments: 0..<4)
  func theDivisionOfTheBytesDoesNotMatter(seed: UInt64) throws {
    for name in ["ublox-zed-f9r-mixed.bin", "casic-l76k-dual.bin", "mtk-mt3301-clockjump.nmea"] {
      let bytes = [UInt8](try SharedRecordings.contents(of: "gnss/\(name)"))
      var random = SplitMix64(seed: seed)
      let whole = decode(bytes)
      #expect(decode(bytes, pieces: { Int.random(in: 1...300, using: &random) }) == whole)
    }
  }
}
