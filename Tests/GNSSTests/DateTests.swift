import GNSSProtocol
import Quantities
import Testing

@Suite struct DateTests {
  static func gga(_ time: String) -> String { "GPGGA,\(time),5000.0,N,01000.0,E,1,08,1.1,120.0,M,45.0,M,," }
  static func rmc(_ time: String, _ date: String, status: String = "A") -> String {
    "GPRMC,\(time),\(status),5000.0,N,01000.0,E,1.0,90.0,\(date),,,"
  }

  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    let text: String
    let times: [String?]
    init(_ name: String, _ text: [String], _ times: [String?]) {
      (self.name, self.text, self.times) = (name, text.joined(separator: " "), times)
    }
    var testDescription: String { name }
  }

  static let cases = [
    Case(
      "GGA before RMC at midnight",
      [
        gga("235959.00"), rmc("235959.00", "311225"), gga("000000.00"), rmc("000000.00", "010126"),
      ], ["2025-12-31T23:59:59.000Z", "2026-01-01T00:00:00.000Z"]),
    Case(
      "GGA alone after midnight", [rmc("235959.00", "311225"), gga("000000.00"), gga("000001.00")],
      ["2025-12-31T23:59:59.000Z", "2026-01-01T00:00:00.000Z", "2026-01-01T00:00:01.000Z"]),
    Case(
      "a small step back is not midnight", [rmc("101112.00", "010326"), gga("101102.00")],
      ["2026-03-01T10:11:12.000Z", "2026-03-01T10:11:02.000Z"]),
    Case("GGA without any date", [gga("235959.00"), gga("000000.00")], [nil, nil]),
    Case(
      "leap second", [rmc("235959.00", "311216"), rmc("235960.00", "311216"), rmc("000000.00", "010117")],
      ["2016-12-31T23:59:59.000Z", "2017-01-01T00:00:00.000Z", "2017-01-01T00:00:00.000Z"]),
    Case(
      "leap second without date", [rmc("235959.00", "311216"), gga("235960.00"), gga("000000.00")],
      ["2016-12-31T23:59:59.000Z", "2017-01-01T00:00:00.000Z", "2017-01-01T00:00:00.000Z"]),
    Case(
      "years from 80 are in the twentieth century", [rmc("101112.00", "010380"), rmc("101113.00", "010379")],
      ["1980-03-01T10:11:12.000Z", "2079-03-01T10:11:13.000Z"]),
    Case(
      "a date before a week rollover is not corrected", [rmc("101112.00", "160706")],
      ["2006-07-16T10:11:12.000Z"]),
    Case(
      "ZDA has the century", ["GPZDA,101112.00,11,07,1981,00,00", gga("101112.00")],
      ["1981-07-11T10:11:12.000Z"]),
    Case(
      "ZDA after its epoch dates the next",
      [
        gga("101112.00"), gga("101113.00"), gga("101114.00"),
        "GPZDA,101114.00,11,07,2020,00,00", gga("101115.00"),
      ], [nil, nil, nil, "2020-07-11T10:11:15.000Z"]),
    Case(
      "an unset clock dates no epoch",
      [
        rmc("000010.00", "060180", status: "V"), rmc("000011.00", "010100", status: "V"),
        rmc("000012.00", "220899", status: "V"), gga("101112.00"),
      ], [nil, nil, nil, nil]),
    Case(
      "a battery-backed clock dates only its own epoch",
      [rmc("101110.00", "010325", status: "V"), gga("101112.00")],
      ["2025-03-01T10:11:10.000Z", nil]),
    Case("before GPS time", ["GPZDA,101112.00,11,07,1979,00,00", gga("101112.00")], [nil]),
    Case("a century too late", ["GPZDA,101112.00,11,07,2126,00,00", gga("101112.00")], [nil]),
    Case("a fix in the first week of GPS time", [rmc("101112.00", "060180")], [nil]),
    Case(
      "a step back over midnight",
      [rmc("000002.00", "070526"), gga("235958.00"), gga("235959.00"), gga("000003.00")],
      [
        "2026-05-07T00:00:02.000Z", "2026-05-06T23:59:58.000Z", "2026-05-06T23:59:59.000Z",
        "2026-05-07T00:00:03.000Z",
      ]),
    Case("year −1", ["GPZDA,101112.00,01,01,-1,00,00", gga("101112.00")], [nil]),
    Case("no such day", [rmc("101112.00", "310226")], [nil]),
    Case("ten thousandths", [rmc("101112.7799", "010326")], ["2026-03-01T10:11:12.779Z"]),
  ]

  @Test(arguments: cases)
  func everyEpochGetsItsDate(_ example: Case) {
    #expect(decode(sentences(example.text)).map(\.time) == example.times)
  }

  @Test func theTimeOfDayIsKeptWithoutADate() {
    let fixes = decode(sentences("\(Self.gga("235959.50")) \(Self.gga("000000.00"))"))
    #expect(fixes.map(\.millisecondOfDay) == [86_399_500, 0])
    #expect(fixes.allSatisfy { $0.kind == .threeDimensional })
  }

  @Test func aLongPauseMakesTheDateUnknown() {
    var bench = Bench()
    bench.send(sentence(Self.rmc("101112.00", "010326")))
    bench.wait(.seconds(13 * 3600))
    bench.send(sentence(Self.gga("231112.00")))
    bench.finish()
    #expect(bench.fixes.map(\.time) == ["2026-03-01T10:11:12.000Z", nil])
  }
}
