import Foundation
import GNSSProtocol
import LocalAPI
import Quantities
import Testing

@testable import outrider

/// The status of a receiver whose data arrive and are not used.
@Suite struct IgnoredInputTests {
  static func sentence(_ body: String) -> [UInt8] {
    let sum = body.utf8.reduce(UInt8(0)) { $0 ^ $1 }
    let digits = String(sum, radix: 16, uppercase: true)
    return Array("$\(body)*\(digits.count < 2 ? "0" : "")\(digits)\r\n".utf8)
  }

  static let position = "RMC,102030.00,A,4600.0000,N,00815.0000,E,5.20,181.3,030526,,,A"

  private static func ubx(_ type: UInt8, _ id: UInt8, _ payload: [UInt8] = []) -> [UInt8] {
    let inner = [type, id, UInt8(payload.count), 0] + payload
    let sums = inner.reduce(into: (first: UInt8(0), second: UInt8(0))) { sums, byte in
      sums.first &+= byte
      sums.second &+= sums.first
    }
    return [0xB5, 0x62] + inner + [sums.first, sums.second]
  }

  private static let sirf: [UInt8] = [0xA0, 0xA2, 0, 1, 0x29, 0, 0x29, 0xB0, 0xB3]

  static let cases: [(name: String, bytes: [UInt8], row: String)] = [
    ("nothing", [], "no valid data from the receiver yet"),
    ("noise", [0xFF, 0x00, 0x7F], "no valid data from the receiver yet"),
    (
      "wrong checksum", Array("$GPRMC,102030.00,V,,,,,,,,,,N*00\r\n".utf8),
      "no valid data from the receiver yet, 1 checksum error"
    ),
    (
      "lower case", sentence("gprmc" + position.dropFirst(3)) + sentence("gpgga,,,,,,0,,,,,,,,"),
      "no epoch yet, 2 valid frames; ignored: 2 sentences with a lower-case address (last gpgga)"
    ),
    (
      "talker in lower case", sentence("gp" + position),
      "no epoch yet, 1 valid frame; ignored: 1 sentence with a lower-case address (last gpRMC)"
    ),
    (
      "type in lower case", sentence("GPrmc" + position.dropFirst(3)),
      "no epoch yet, 1 valid frame; ignored: 1 sentence with a lower-case address (last GPrmc)"
    ),
    (
      "unused types", sentence("GPTXT,01,01,02,x") + sentence("PUBX,04,102030.00"),
      "no epoch yet, 2 valid frames; ignored: 1 sentence of an unused type (last GPTXT), "
        + "1 manufacturer's sentence of an unused type (last PUBX)"
    ),
    (
      "addresses of four letters and digits", sentence("GRMC,1") + sentence("U1" + position),
      "no epoch yet, 2 valid frames; ignored: 2 sentences with an invalid address (last U1RMC)"
    ),
    (
      "UBX", ubx(0x02, 0x15) + ubx(0x02, 0x15) + ubx(0x01, 0x3C),
      "no epoch yet, 3 valid frames; ignored: 3 UBX messages of an unused type (last 01-3C)"
    ),
    (
      "answer to a query", ubx(0x05, 0x01, [0x06, 0x01]) + ubx(0x0D, 0x03),
      "no epoch yet, 2 valid frames; ignored: 1 UBX message of an unused type (last 0D-03)"
    ),
    (
      "SiRF binary", sirf,
      "no epoch yet, 1 valid frame; ignored: 1 SiRF binary message (not supported)"
    ),
    (
      "no checksum", Array("$GPGLL,4600.0000,N,00815.0000,E,102030.00,A\r\n".utf8) + sentence("HCHDG,1,,,,"),
      "no epoch yet, 1 valid frame; ignored: 1 sentence of other equipment (last HCHDG), "
        + "1 sentence without a checksum"
    ), ("satellites only", sentence("GPGSV,1,1,00"), "no epoch yet, 1 valid frame"),
    (
      "control characters in an address", sentence("GP\u{1B}[2"), "no valid data from the receiver yet"
    ),
  ]

  static func row(_ bytes: [UInt8]) -> String {
    var decoder = ReceiverDecoder()
    bytes.withUnsafeBytes { decoder.decode($0, at: .zero) { _ in } }
    decoder.finish { _ in }
    let statistics = decoder.statistics
    var receiver = StatusReport.Receiver(
      port: "/dev/ttyS0", isOpen: true, speed: nil, validFrames: Int(clamping: statistics.frames),
      checksumErrors: Int(clamping: statistics.checksumErrors))
    receiver.ignoredInputs = statistics.ignored
    return StatusText.describe(StatusReport.Reception(), of: receiver)
  }

  @Test(arguments: cases) func theRowFixNamesWhatIsIgnored(name: String, bytes: [UInt8], row: String) {
    #expect(Self.row(bytes) == row, "\(name)")
  }

  @Test(arguments: ["AI", "AB", "BS", "SD", "WI", "VW", "HC", "HE", "TI", "RA"])
  func theTalkersOfOtherEquipmentAreNamed(talker: String) {
    let expected =
      "no epoch yet, 3 valid frames; ignored: 3 sentences of other equipment (last \(talker)RMC)"
    #expect(Self.row((0..<3).flatMap { _ in Self.sentence(talker + Self.position) }) == expected)
  }

  static let gpsd: [(ignored: [String: Int], reports: Int, fix: String, dropped: String)] = [
    ([:], 0, "no valid data from the receiver yet", ""),
    (
      ["second_class": 12, "other_class": 3], 0,
      "no epoch yet, 0 reports of gpsd; ignored: 12 lines with a second class, 3 lines of an unused class",
      "; dropped: 12 lines with a second class"
    ),
    (
      ["long_line": 1, "no_class": 1, "of_a_later_version": 5], 1,
      "no epoch yet, 1 report of gpsd; ignored: 1 line too long, 1 line without a class at its start",
      "; dropped: 1 line too long, 1 line without a class at its start"
    ), (["other_class": 7], 90, "no epoch yet, 90 reports of gpsd; ignored: 7 lines of an unused class", ""),
  ]

  @Test(arguments: gpsd)
  func droppedLinesOfGPSDAreCounted(ignored: [String: Int], reports: Int, fix: String, dropped: String) {
    var receiver = StatusReport.Receiver(
      port: "localhost:2947", isOpen: true, speed: nil, validFrames: reports, checksumErrors: 0)
    receiver.gpsd = StatusReport.Receiver.GPSD(release: nil, device: nil, driver: nil)
    receiver.ignored = ignored
    #expect(StatusText.describe(StatusReport.Reception(), of: receiver) == fix)
    var report = StatusReport(
      version: "1", deviceID: "van", running: true,
      log: .init(directory: "log", lastID: 1, waiting: 0, trouble: nil), destinations: [])
    report.receiver = receiver
    let lines = StatusText.lines(logger: "", running: report, log: nil, directory: "log")
    #expect(
      lines.contains { $0.hasPrefix("receiver ") && $0.hasSuffix("no receiver reported yet\(dropped)") })
  }

  @Test func aLoggerBesideOtherEquipmentReportsIt() throws {
    let bench = try LoggerBench(url: nil)
    try bench.start()
    #expect(bench.hasEvent("started"))
    let pieces = (0..<40).map { _ in Feeder.Piece(bytes: Self.sentence("VW" + Self.position)) }
    bench.feeder.play(pieces, every: .milliseconds(50))
    #expect(
      try eventually(within: .seconds(20)) {
        let receiver = try FaultTests.status(of: bench)["receiver"] as? [String: Any] ?? [:]
        return (receiver["ignored"] as? [String: Int])?["other_equipment"] ?? 0 > 10
      })
    let last = try (FaultTests.status(of: bench)["receiver"] as? [String: Any])?["ignored_last"]
    #expect(last as? [String: String] == ["other_equipment": "VWRMC"])
    let text = try FaultTests.run(
      ["status", "--config", bench.scratch.path("config.json5")], in: bench.scratch)
    let row = text.output.split(separator: "\n").first { $0.hasPrefix("fix ") } ?? ""
    #expect(row.contains("sentences of other equipment (last VWRMC)"), "\(text.output)")
    #expect(bench.stopsInGoodOrder())
  }
}
