import LocalAPI
import Medium
import Quantities
import Records
import Store
import Testing

@testable import Daemon

/// The writes to the storage medium and its wear.
@Suite struct MediumMeterTests {
  /// 2026-06-01, 12:00.
  private static let noon = Timestamp(milliseconds: 1_780_315_200_000)
  private static let card = MediumReport(disk: "mmcblk0", lifetimeBytes: 4_000_000_000)

  @Test func writesAreCountedByCauseAndShownAfterAnHour() {
    var meter = MediumMeter()
    _ = meter.take(
      StoreWriting(total: 5000, files: 1000), process: 7000, Self.card, endurance: nil, at: Self.noon)
    #expect(meter.status(endurance: nil, at: Self.noon)?.written_bytes_day == nil)
    var later = Self.card
    later.lifetimeBytes = 4_000_100_000
    _ = meter.take(
      StoreWriting(total: 9000, files: 3000), process: 13_000, later, endurance: nil,
      at: Self.noon + .seconds(43_200))
    let status = meter.status(endurance: nil, at: Self.noon + .seconds(43_200))
    #expect(status?.written_bytes_day == ["log": 12_000, "files": 6000, "other": 8000])
    #expect(status?.medium_bytes_day == 200_000 && status?.medium_bytes_lifetime == 4_000_100_000)
    #expect(status?.own_percent == 13 && status?.disk == "mmcblk0")
    #expect(status?.days_left == nil && status?.used_percent == nil)
  }

  @Test func aRestartContinuesTheHistoryAndCountsItsOwnWrites() {
    var meter = MediumMeter()
    _ = meter.take(
      StoreWriting(total: 5000, files: 0), process: 5000, Self.card, endurance: nil, at: Self.noon)
    var next = MediumMeter()
    next.restore(meter.text)
    _ = next.take(
      StoreWriting(total: 300, files: 0), process: 400, Self.card, endurance: nil,
      at: Self.noon + .seconds(86_400))
    let status = next.status(endurance: nil, at: Self.noon + .seconds(86_400))
    #expect(status?.written_bytes_day == ["log": 5300, "files": 0, "other": 100])
    next.restore("damaged")
    #expect(next.text.hasPrefix("1\t"))
  }

  @Test func writesBeforeTheFirstDateAreAddedWithIt() {
    var meter = MediumMeter()
    _ = meter.take(StoreWriting(total: 5000, files: 0), process: 5000, Self.card, endurance: nil, at: nil)
    #expect(meter.status(endurance: nil, at: nil)?.medium_bytes_lifetime == 4_000_000_000)
    _ = meter.take(
      StoreWriting(total: 6000, files: 0), process: 6000, Self.card, endurance: nil, at: Self.noon)
    let status = meter.status(endurance: nil, at: Self.noon + .seconds(86_400))
    #expect(status?.written_bytes_day?["log"] == 6000)
  }

  @Test func wearIsReportedOnceForEachLevel() {
    var meter = MediumMeter()
    var reported: [Int64] = []
    for (hour, used) in [70, 81, 82, 93, 99].enumerated() {
      let report = MediumReport(disk: "mmcblk0", lifetimeBytes: Int64(used) * 10_000_000)
      let event = meter.take(
        StoreWriting(total: nil, files: 0), process: nil, report, endurance: 1_000_000_000,
        at: Self.noon + .seconds(hour * 3600))
      if let event {
        reported.append(event.fields.number(.percent) ?? 0)
        #expect(event.kind == .storageWearing)
        #expect(event.fields.text(.cause) == "endurance" && event.fields.text(.device) == "mmcblk0")
      }
      var next = MediumMeter()
      next.restore(meter.text)
      meter = next
    }
    #expect(reported == [80, 90])
  }

  @Test func aMediumThatTellsNothingHasNoStatus() {
    var meter = MediumMeter()
    #expect(meter.status(endurance: nil, at: Self.noon) == nil)
    _ = meter.take(StoreWriting(total: nil, files: 0), process: nil, MediumReport(), endurance: nil, at: nil)
    #expect(meter.status(endurance: 30_000_000_000_000, at: nil) == nil)
  }
}
