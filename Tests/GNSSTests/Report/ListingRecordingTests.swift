import Foundation
import Quantities
import TestSupport
import Testing

@Suite(
  .enabled(
    if: SharedRecordings.arePresent,
    "recordings are absent: put them in ../shared, or name their folder in OUTRIDER_SHARED"))
struct ListingRecordingTests {
  static let names = [
    "casic-l76k-dual.bin", "derived-bitflips.nmea", "derived-wrongbaud-9600-as-38400.bin",
    "mtk-mt3301-clockjump.nmea", "quectel-eg25-pqgsv.nmea", "quectel-l70-pmtk.nmea", "skytraq-dgps.nmea",
    "st-teseo-liv3f.nmea", "ublox-8-config-acks.bin", "ublox-m10-navpvt.ubx", "ublox-neo-m9n.nmea",
    "ublox-valset-session.bin", "ublox-zed-f9r-mixed.bin", "unicore-um621.nmea",
  ]

  @Test(arguments: names)
  func everyFrameOfARecordingIsOneLineForAnyDivision(name: String) throws {
    let bytes = [UInt8](try SharedRecordings.contents(of: "gnss/\(name)"))
    let text = listing(bytes)
    let lines = try objects(text)
    var bench = Bench()
    bench.send(bytes)
    bench.finish()
    #expect(UInt64(lines.count) == bench.decoder.statistics.frames)
    var random = SplitMix64(seed: 7)
    #expect(listing(bytes, pieces: { Int.random(in: 1...5000, using: &random) }) == text)
  }

  @Test(arguments: names)
  func everyKnownMessageFitsItsRowExceptTheShortBlocksOfAnF9R(name: String) throws {
    let bytes = [UInt8](try SharedRecordings.contents(of: "gnss/\(name)"))
    let lines = try objects(listing(bytes))
    #expect(!lines.isEmpty)
    for line in lines where line["rest"] != nil || line["length"] != nil {
      #expect(line["class_id"] != nil || line["message"] as? String == "MON-RF", "\(line)")
    }
  }

  struct Count: Sendable {
    let name: String
    let message: String
    let lines: Int
  }

  /// Counted in the frames by another program.
  @Test(arguments: [
    Count(name: "ublox-8-config-acks.bin", message: "ACK-ACK", lines: 31),
    Count(name: "ublox-8-config-acks.bin", message: "ACK-NAK", lines: 2),
    Count(name: "ublox-m10-navpvt.ubx", message: "NAV-PVT", lines: 299),
    Count(name: "ublox-zed-f9r-mixed.bin", message: "NAV-PVT", lines: 30),
    Count(name: "casic-l76k-dual.bin", message: "NAV-PV", lines: 130),
    Count(name: "casic-l76k-dual.bin", message: "NAV-TIMEUTC", lines: 130),
  ])
  func messagesAreNamed(_ count: Count) throws {
    let bytes = [UInt8](try SharedRecordings.contents(of: "gnss/\(count.name)"))
    #expect(try objects(listing(bytes)).count { $0["message"] as? String == count.message } == count.lines)
  }

  /// Compares every solution of a recording with the fix of the decoder.
  @Test func theScaledPositionIsThatOfTheFix() throws {
    let bytes = [UInt8](try SharedRecordings.contents(of: "gnss/derived-navpvt-110min.ubx"))
    let solutions = try objects(listing(bytes)).filter { $0["message"] as? String == "NAV-PVT" }
    let fixes = try Golden.fixes(of: "derived-navpvt-110min.ubx")
    #expect(solutions.count == fixes.count)
    #expect(
      zip(solutions, fixes).allSatisfy { solution, fix in
        solution["lat"] as? Double == fix.latitude && solution["lon"] as? Double == fix.longitude
      })
  }
}
