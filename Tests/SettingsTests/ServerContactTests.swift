import Quantities
import Testing

@testable import Settings

/// Check-ins after a server's change, and the time out of reach across restarts.
@Suite struct ServerContactTests: MadeUpServers {
  @Test func aTrialChecksInAtHalfOfItsTimeAndIsRolledBackAtTheEnd() {
    var changes = Self.onTrial()
    #expect(changes.handleTimeout(now: Self.at(39_999)).contains(.checkIn(["a"])) == false)
    #expect(changes.handleTimeout(now: Self.at(40_000)).contains(.checkIn(["a"])))
    #expect(changes.handleTimeout(now: Self.at(49_999)).contains(.checkIn(["a"])) == false)
    #expect(changes.handleTimeout(now: Self.at(50_000)).contains(.checkIn(["a"])), "the check-in is repeated")
    #expect(changes.values == [Self.mode: "off"])
    #expect(
      changes.handleTimeout(now: Self.at(80_000)) == [
        .rolledBack([Self.mode], by: "a", .unproven), .changed, .keep,
      ])
    #expect(changes.values.isEmpty && changes.trials.isEmpty)
  }

  /// Without a fix, the server responds to every check-in. This must not cause endless check-ins.
  @Test func aResponseThatProvesNothingCausesNoCheckIn() {
    var changes = Self.changes(silenced: ["a"])
    _ = changes.handle(.requested([Self.mode: "off"], by: "a", afterRecord: 10), now: .zero)
    var checkIns = 0
    while let next = changes.nextTimeout, next < Self.at(80_000) {
      guard changes.handleTimeout(now: next).contains(.checkIn(["a"])) else { continue }
      checkIns += 1
      _ = changes.handle(.answered(by: "a", newestLocation: nil), now: next)
      // The server sends another value every time.
      _ = changes.handle(.requested([Self.mode: "\(checkIns)"], by: "a", afterRecord: 10), now: next)
    }
    #expect(checkIns == 4, "at half of the time, and then every eighth")
  }

  @Test func aSilencedDeviceChecksInRegularly() {
    var changes = Self.changes(silenced: ["a"])
    for half in 1...3 {
      let now = Self.at(Int64(half) * 40_000)
      #expect(!changes.handleTimeout(now: Self.at(Int64(half) * 40_000 - 1)).contains(.checkIn(["a"])))
      #expect(changes.handleTimeout(now: now).contains(.checkIn(["a"])))
      #expect(changes.handle(.answered(by: "a", newestLocation: 7), now: now) == [.keep])
    }
  }

  @Test func aDeviceInContactNeitherChecksInNorStoresEveryResponse() {
    var changes = Self.changes(silenced: ["a"])
    var records = 0
    for minute in 1...2880 {
      let now = Self.at(Int64(minute) * 60)
      if changes.nextTimeout.map({ $0 <= now }) ?? false {
        #expect(!changes.handleTimeout(now: now).contains(.checkIn(["a"])))
      }
      records += changes.handle(.answered(by: "a", newestLocation: 7), now: now).count
    }
    #expect((1...20).contains(records), "\(records) in two days")
  }

  @Test func aDeviceWithTrackingOffDoesNotCheckIn() {
    var changes = Self.changes(silenced: ["a"])
    _ = changes.handle(
      .rules(.init(maxSilence: Self.silence, silenced: ["a"], isTracking: false)), now: .zero)
    #expect(changes.nextCheckIn == nil)
  }

  // MARK: Restarts

  @Test func theTimeContinuesAfterAKill() {
    let later = Self.after(Self.onTrial(at: 100), at: Self.at(20_000), boot: "one", next: Self.at(30_000))
    #expect(later.rollbackTime == Self.at(80_100))
    #expect(
      later.values == [Self.mode: "off"] && later.trials[Self.mode]?.afterRecord == 10
        && later.trials[Self.mode]?.by == "a")
  }

  /// The elapsed time is at least that of the boot clock, and that of the system clock if it is plausible.
  @Test(
    arguments: [
      (1000, 500, 59_000), (1000, -50_000, 59_000), (1000, 30_000, 30_000), (1000, 50_000_000, -34_500_000),
    ] as [(uptime: Int64, system: Int64, left: Int64)])
  func theTimeContinuesAfterAReboot(uptime: Int64, system: Int64, left: Int64) {
    let later = Self.after(
      Self.onTrial(), at: Self.at(20_000), boot: "two", next: Self.at(uptime),
      utc: Timestamp(milliseconds: Self.utc.milliseconds + system * 1000))
    let remaining = later.rollbackTime.map { ($0 - Self.at(uptime)).inSeconds }
    #expect(remaining == Double(left))
  }

  @Test func anUnsetClockIsIgnoredAfterAReboot() {
    var record = Self.onTrial().record(now: Self.at(20_000), boot: "one", utc: Timestamp(milliseconds: 5000))
    record.utc_ms = 5000
    let later = ServerChanges(
      record, rules: Self.onTrial().rules, now: Self.at(10), boot: "two", utc: Self.utc)
    #expect(later.rollbackTime == Self.at(60_000))
  }

  @Test func anOverdueTrialIsRolledBackAtTheStart() {
    var later = Self.after(Self.onTrial(), at: Self.at(20_000), boot: "one", next: Self.at(90_000))
    #expect(later.handleTimeout(now: Self.at(90_000)).contains(.rolledBack([Self.mode], by: "a", .unproven)))
  }

  @Test func theTimeOutOfReachIsStored() {
    var changes = Self.changes(silenced: ["a"])
    _ = changes.handle(.answered(by: "a", newestLocation: nil), now: Self.at(5000))
    let later = Self.after(changes, at: Self.at(15_000), boot: "two", next: Self.at(60))
    #expect(later.nextCheckIn == Self.at(30_000))
  }

  @Test func aCrashLoopRollsTheChangeBack() {
    var changes = Self.onTrial()
    for start in 1...9 {
      let now = Self.at(Int64(start) * 5)
      changes = Self.after(changes, at: now, boot: "one", next: now)
      #expect(!changes.handleTimeout(now: now).contains(.changed), "start \(start)")
    }
    changes = Self.after(changes, at: Self.at(50), boot: "one", next: Self.at(50))
    #expect(
      changes.handleTimeout(now: Self.at(50)) == [
        .rolledBack([Self.mode], by: "a", .crashes), .changed, .keep,
      ])
  }

  @Test func longRunsAndNormalEndsAreNotCrashes() {
    var changes = Self.onTrial()
    for start in 1...30 {
      let now = Self.at(Int64(start) * 100)
      changes = Self.after(changes, at: now, boot: "one", next: now)
      if start.isMultiple(of: 2) {
        #expect(changes.handle(.stopping, now: now) == [.keep])
      } else {
        #expect(changes.nextTimeout == now + .seconds(60))
        #expect(changes.handleTimeout(now: now + .seconds(60)) == [.keep])
      }
      #expect(changes.trials[Self.mode]?.briefStarts == 0)
    }
  }

  @Test func aCrashLoopRollsBackOnlyTrials() {
    var changes = Self.onTrial([Self.interval: "1m"])
    _ = changes.handle(.answered(by: "a", newestLocation: 11), now: Self.at(1))
    _ = changes.handle(.requested([Self.mode: "off"], by: "a", afterRecord: 20), now: Self.at(2))
    for start in 1...10 {
      let now = Self.at(Int64(start) * 5)
      changes = Self.after(changes, at: now, boot: "one", next: now)
      _ = changes.handleTimeout(now: now)
    }
    #expect(changes.values == [Self.interval: "1m"] && changes.trials.isEmpty)
  }

  @Test func theTrialOfSeveralSettingsInTheOldFormatIsRead() throws {
    var record = ServerRecord()
    record.values = [.init(key: Self.mode, value: "off"), .init(key: Self.interval, value: "off")]
    record.trial = .init(
      by: "a", after_record: 10, lasted_ms: 1000,
      before: [.init(key: Self.mode, value: nil), .init(key: Self.interval, value: "1m")], brief_starts: 0)
    var changes = ServerChanges(record, rules: Self.changes().rules, now: Self.at(1), boot: "", utc: Self.utc)
    #expect(changes.trials.keys.sorted() == [Self.mode, Self.interval])
    _ = changes.handleTimeout(now: Self.at(90_000))
    #expect(changes.values == [Self.interval: "1m"])
  }

  @Test(arguments: [Int64.max, .min])
  func extremeNumbersInARecordDoNoHarm(figure: Int64) {
    var record = ServerRecord()
    record.values = [.init(key: Self.mode, value: "off")]
    record.failures = [.init(key: Self.mode, value: "off", failures: Int(figure))]
    record.trials = (0..<2).map { _ in
      .init(
        by: "a", after_record: figure, lasted_ms: figure, before: [.init(key: Self.mode, value: nil)],
        brief_starts: Int(figure))
    }
    (record.moment_ms, record.utc_ms) = (figure, figure)
    record.contacts = [.init(destination: "a", ago_ms: figure)]
    var changes = ServerChanges(
      record, rules: Self.changes().rules, now: Self.at(1), boot: "x", utc: Self.utc)
    for _ in 0..<5 { _ = changes.handleTimeout(now: changes.nextTimeout ?? .zero) }
    _ = changes.record(now: Self.at(9), boot: "x", utc: Self.utc)
  }
}
