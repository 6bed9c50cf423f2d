import Quantities
import Testing

@testable import Settings

/// Trials on a host that sleeps between its contacts: their end by planned contacts and by wall time.
@Suite struct TrialContactTests: MadeUpServers {
  /// One time awake, in which these attempts to send end before the host sleeps.
  static func wake(_ changes: inout ServerChanges, failed: [String] = ["a"], at seconds: Int64)
    -> [ServerChanges.Action]
  {
    for name in failed { #expect(changes.handle(.failed(by: name), now: at(seconds)) == []) }
    return changes.handle(.sleeping, now: at(seconds + 5))
  }

  static let ended: [ServerChanges.Action] = [.rolledBack([mode], by: "a", .missedContacts), .changed, .keep]

  @Test func threePlannedContactsWithoutAProofEndATrial() {
    var changes = Self.changes(proven: [Self.mode: "both"])
    _ = changes.handle(.requested([Self.mode: "off"], by: "a", afterRecord: 10), now: .zero)
    #expect(Self.wake(&changes, at: 3600) == [.keep])
    #expect(Self.wake(&changes, at: 7200) == [.keep])
    #expect(changes.values == [Self.mode: "off"])
    #expect(Self.wake(&changes, at: 10_800) == Self.ended)
    #expect(changes.values == [Self.mode: "both"] && changes.trials.isEmpty)
    #expect(changes.failures[Self.mode]?.count == 1)
  }

  @Test func theNumberOfContactsOutlastsRestartsAndHalts() {
    var changes = Self.onTrial()
    for boot in 1...2 {
      #expect(Self.wake(&changes, at: 100) == [.keep], "boot \(boot)")
      _ = changes.handle(.stopping, now: Self.at(110))
      changes = Self.after(changes, at: Self.at(110), boot: "boot \(boot)", next: Self.at(20))
    }
    #expect(Self.wake(&changes, at: 100) == Self.ended)
  }

  /// Several failures while the host is up are one contact, and so are those before a response.
  @Test func attemptsWhileTheHostIsUpAreOneContact() {
    var changes = Self.onTrial()
    #expect(Self.wake(&changes, failed: ["a", "a", "a", "a"], at: 100) == [.keep])
    #expect(changes.trials[Self.mode]?.missedContacts == 1)
    _ = changes.handle(.failed(by: "a"), now: Self.at(200))
    _ = changes.handle(.answered(by: "a", newestLocation: 9), now: Self.at(201))
    #expect(changes.handle(.sleeping, now: Self.at(202)) == [], "the server answered after all")
    #expect(Self.wake(&changes, failed: ["b"], at: 300) == [], "another server")
    #expect(Self.wake(&changes, failed: [], at: 400) == [], "no contact was planned")
    #expect(changes.trials[Self.mode]?.missedContacts == 1)
  }

  @Test func aCheckInWithoutAProofIsAContact() {
    var changes = Self.onTrial()
    for (second, missed) in [(40_000, 1), (50_000, 2)] as [(Int64, Int)] {
      #expect(changes.handleTimeout(now: Self.at(second)).contains(.checkIn(["a"])))
      #expect(changes.handle(.sleeping, now: Self.at(second + 60)) == [.keep])
      #expect(changes.trials[Self.mode]?.missedContacts == missed)
    }
    #expect(changes.handleTimeout(now: Self.at(60_000)).contains(.checkIn(["a"])))
    #expect(changes.handle(.sleeping, now: Self.at(60_060)) == Self.ended)
  }

  @Test func aHostThatStaysUpCountsNoContacts() {
    var changes = Self.onTrial()
    for second in Int64(1)...1000 { _ = changes.handle(.failed(by: "a"), now: Self.at(second)) }
    #expect(changes.values == [Self.mode: "off"] && changes.rollbackTime == Self.at(80_000))
  }

  /// Nothing is stored while the host sleeps, and a check-in is not repeated after every start.
  @Test func aTrialWakesTheHostForCheckInsAndItsEndOnly() {
    var changes = Self.onTrial()
    #expect(changes.nextTask == Self.at(40_000) && changes.nextTimeout != changes.nextTask)
    _ = changes.handleTimeout(now: Self.at(40_000))
    #expect(changes.nextTask == Self.at(50_000))
    let next = Self.after(changes, at: Self.at(40_100), boot: "two", next: Self.at(20))
    #expect(next.nextTask == Self.at(9_900), "the last check-in was 10,100 s before")
  }

  // MARK: Wall time

  static func wall(_ seconds: Int64, _ quality: ClockQuality) -> ServerChanges.Event {
    .dated(WallTime(utc + .seconds(seconds), quality))
  }

  struct Halt {
    var promise: String
    /// The qualities of the time before and after a halt of 30,000 s, and the seconds that the second clock is wrong.
    var before: ClockQuality?
    var after: ClockQuality?
    var error: Int64 = 0
    /// The remaining time 20 s after the start, of 80,000 s; 20,000 s had passed before the halt.
    var left: Double
  }

  static let halts = [
    Halt(promise: "both clocks are good", before: .receiver, after: .receiver, left: 29_980),
    Halt(promise: "a clock chip is good enough", before: .clockChip, after: .network, left: 29_980),
    Halt(promise: "no clock after the halt", before: .receiver, after: nil, left: 59_980),
    Halt(promise: "no clock before the halt", before: nil, after: .receiver, left: 59_980),
    Halt(promise: "a saved time is no evidence", before: .receiver, after: .saved, left: 59_980),
    Halt(promise: "nor is it at the start", before: .saved, after: .receiver, left: 59_980),
    Halt(
      promise: "a clock before the start", before: .receiver, after: .receiver, error: -60_000, left: 59_980),
    Halt(promise: "a clock of 2034", before: .receiver, after: .receiver, error: 250_000_000, left: 59_980),
    Halt(
      promise: "a clock that ends the trial", before: .receiver, after: .receiver, error: 40_000,
      left: -10_020),
  ]

  @Test(arguments: halts.indices) func theTimeDuringAHaltCountsByGoodClocksOnly(row: Int) {
    let halt = Self.halts[row]
    var changes = Self.changes()
    if let before = halt.before { _ = changes.handle(Self.wall(0, before), now: Self.at(100)) }
    _ = changes.handle(.requested([Self.mode: "off"], by: "a", afterRecord: 10), now: Self.at(100))
    // Without a clock chip the system clock goes on where it was.
    var next = Self.after(changes, at: Self.at(20_100), boot: "two", next: Self.at(10))
    if let after = halt.after {
      _ = next.handle(Self.wall(50_020 + halt.error, after), now: Self.at(20))
    }
    let left = next.rollbackTime.map { ($0 - Self.at(20)).inSeconds }
    #expect(left == halt.left, "\(halt.promise)")
  }

  /// A device that learns the date after the trial has begun counts the halts that follow.
  @Test func theStartIsDatedLater() {
    var changes = Self.onTrial(at: 100)
    _ = changes.handle(Self.wall(500, .receiver), now: Self.at(600))
    var next = Self.after(changes, at: Self.at(700), boot: "two", next: Self.at(10))
    _ = next.handle(Self.wall(70_000, .receiver), now: Self.at(20))
    #expect(next.rollbackTime == Self.at(10_020))
    #expect(next.trials[Self.mode]?.time.awake(now: Self.at(20)) == .seconds(620))
  }

  @Test func anOverdueTrialEndsOnceTheTimeIsKnown() {
    var changes = Self.onTrial()
    _ = changes.handle(Self.wall(0, .receiver), now: Self.at(1))
    var next = Self.after(changes, at: Self.at(100), boot: "two", next: Self.at(10))
    #expect(!next.handleTimeout(now: Self.at(10)).contains(.changed))
    _ = next.handle(Self.wall(90_000, .receiver), now: Self.at(30))
    #expect(next.handleTimeout(now: Self.at(30)).contains(.rolledBack([Self.mode], by: "a", .unproven)))
  }

  @Test(arguments: [Int64.max, .min, -1])
  func extremeTimesInARecordDoNoHarm(figure: Int64) throws {
    var changes = Self.onTrial()
    _ = changes.handle(Self.wall(0, .receiver), now: Self.at(1))
    var record = changes.record(now: Self.at(9), boot: "one", utc: Self.utc)
    for index in record.trials?.indices ?? 0..<0 {
      record.trials?[index].awake_ms = figure
      record.trials?[index].started_ms = figure
      record.trials?[index].missed_contacts = Int(clamping: figure)
    }
    record.checked_in_ms = figure
    var next = ServerChanges(record, rules: changes.rules, now: Self.at(1), boot: "two", utc: Self.utc)
    _ = next.handle(Self.wall(70_000, .receiver), now: Self.at(20))
    for _ in 0..<5 { _ = next.handleTimeout(now: next.nextTimeout ?? .zero) }
    _ = next.handle(.failed(by: "a"), now: Self.at(30))
    _ = next.handle(.sleeping, now: Self.at(31))
    _ = next.record(now: Self.at(32), boot: "two", utc: Self.utc)
  }
}
