import Foundation
import History
import PostgreSQLSupport
import Quantities
import Records
import Store
import Testing

@testable import outrider_collector

/// `fleet why` gives the answer that `outrider why` gives on the device.
@Suite(.enabled(if: PostgresServer.isInstalled, "requires PostgreSQL"), .serialized)
struct FleetWhyTests {
  /// The lines of `outrider why --json --since`, as its command finds them in the log.
  static func device(_ day: DeviceDay, since: Timestamp?) throws -> String {
    let status = try day.reader.status()
    let end = [status.newestLocation?.record.time, status.newestEvent?.record.time].compactMap { $0 }.max()
    let from = since ?? end.map { $0 + .seconds(-86_400) }
    let lead = try day.reader.lead(to: from)
    var search = GapSearch(longest: .seconds(120))
    var gaps: [GapSearch.Gap] = []
    try day.reader.read(after: lead.first) { stored in
      gaps += search.take(stored.record)
      return true
    }
    gaps += search.finish(at: end)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return try gaps.filter { gap in lead.floor.map { gap.from >= $0 } ?? true }.map {
      String(decoding: try encoder.encode(GapReport($0, hasPrivacyZones: false)), as: UTF8.self)
    }.joined(separator: "\n")
  }

  static let trip: TripRecord = {
    var trip = TripRecord(
      mode: .car, start: .utc(DeviceDay.midnight + .seconds(30_020)),
      end: .utc(DeviceDay.midnight + .seconds(31_900)), durationMilliseconds: 1_880_000,
      distanceMillimetres: 5_000_000, isManual: false, ending: .stop, device: DeviceState(deviceID: "van-17"))
    trip.isReconstructed = true
    return trip
  }()

  /// A day with a gap of every sort.
  static let day: [LogRecord] = {
    var day = [DeviceDay.event(0, .started)]
    func drive(_ seconds: Range<Int>) {
      for second in stride(from: seconds.lowerBound, to: seconds.upperBound, by: 20) {
        day += DeviceDay.location(second, metres: second * 5)
      }
    }
    drive(10..<3600)
    day.append(DeviceDay.event(3610, .receiverAsleep, [.cause: "stationary", .duration: 900]))
    drive(7200..<9000)
    day.append(DeviceDay.event(9005, .stopped))
    day.append(DeviceDay.event(12_000, .started))
    drive(12_010..<20_000)
    // The rejections are reported after the gap.
    drive(21_000..<21_200)
    day.append(
      DeviceDay.event(21_300, .fixesRejected, [.rejections: .counts(["accuracy": 40, "no_fix": 3])]))
    drive(21_310..<30_000)
    drive(32_000..<32_100)
    day.append(DeviceDay.record(32_010, .trip(trip)))
    drive(32_120..<40_000)
    day.append(DeviceDay.event(40_010, .trackingPaused))
    day.append(DeviceDay.event(50_000, .started))
    return day
  }()

  @Test(arguments: [nil, 5000, 10_000, 20_500, 31_000, 39_000, 45_000] as [Int?])
  func theGapsAndTheirReasonsAreThoseOfTheDevice(since seconds: Int?) throws {
    let day = try DeviceDay(Self.day)
    let since = seconds.map { DeviceDay.midnight + .seconds($0) }
    let expected = try Self.device(day, since: since)
    let printed =
      try since.map { try day.run("why", "van-17", "--json", "--from", $0.iso8601()) }
      ?? (try day.run("why", "van-17", "--json"))
    #expect(printed == expected)
    #expect(!expected.isEmpty)
    if seconds == nil { #expect(expected.split(separator: "\n").count == 6) }
  }

  @Test(arguments: 1...12) func anyDayIsExplainedAsOnTheDevice(seed: Int) throws {
    var random = SplitMix64(seed: UInt64(seed))
    let kinds = EventKind.allCases
    var (records, second) = ([LogRecord](), 0)
    for _ in 0..<1500 {
      let roll = random.next() % 20
      second += roll == 0 ? Int(random.next() % 2000) : Int(random.next() % 30) + 1
      if roll < 16 {
        records += DeviceDay.location(second, metres: second)
      } else {
        records.append(DeviceDay.event(second, kinds[Int(random.next() % UInt64(kinds.count))]))
      }
    }
    let day = try DeviceDay(records)
    for _ in 0..<6 {
      let since = DeviceDay.midnight + .seconds(Int(random.next() % UInt64(second)))
      let expected = try Self.device(day, since: since)
      #expect(
        try day.run("why", "van-17", "--json", "--from", since.iso8601()) == expected, "\(seed) \(since)")
    }
  }

  @Test func peopleReadATable() throws {
    let day = try DeviceDay(Self.day)
    let lines = try day.run("why", "van-17").split(separator: "\n")
    #expect(lines.count == 7 && lines[0].hasPrefix("from"))
    #expect(lines[1].contains("2026-11-22T00:59:50Z") || lines[1].contains("2026-11-22T00:59"), "\(lines[1])")
    #expect(
      try day.run("why", "van-17", "--from", "2026-11-22T00:10:00Z", "--to", "2026-11-22T00:20:00Z")
        == "no gaps")
    #expect(throws: FleetCommand.Failure.self) { try day.run("why", "van-18") }
  }
}
