import Quantities
import Testing

@testable import Settings

/// A change from afar is on trial until it has proved itself, and goes back by itself.
@Suite struct ServerChangesTests {
  static let silence = Duration.seconds(80_000)
  static let mode = ServerKey("main.tracking_mode")
  static let interval = ServerKey("send_interval", destination: "a")

  static func at(_ seconds: Int64) -> Moment { .zero + .seconds(seconds) }

  static func changes(silenced: Set<String> = []) -> ServerChanges {
    ServerChanges(rules: .init(maxSilence: silence, silenced: silenced), now: .zero)
  }

  static func onTrial(_ wishes: [ServerKey: String] = [mode: "off"], at seconds: Int64 = 0) -> ServerChanges {
    var changes = changes()
    _ = changes.handle(.wished(wishes, by: "a", afterRecord: 10), now: at(seconds))
    return changes
  }

  @Test func aChangeCountsAtOnceAndIsKept() {
    var changes = Self.changes()
    let actions = changes.handle(.wished([Self.mode: "off"], by: "a", afterRecord: 10), now: .zero)
    #expect(actions == [.began([Self.mode]), .changed, .keep])
    #expect(changes.values == [Self.mode: "off"])
    #expect(changes.goesBackAt == Self.at(80_000))
  }

  @Test func theSameWishAgainChangesNothing() {
    var changes = Self.onTrial()
    let before = changes
    #expect(changes.handle(.wished([Self.mode: "off"], by: "a", afterRecord: 99), now: Self.at(500)) == [])
    #expect(changes == before)
  }

  @Test func aPositionTakenUnderItAndAnsweredProvesIt() {
    var changes = Self.onTrial()
    #expect(changes.handle(.answered(by: "a", newestLocation: 10), now: Self.at(1)) == [])
    #expect(changes.handle(.answered(by: "a", newestLocation: nil), now: Self.at(2)) == [])
    #expect(changes.handle(.answered(by: "b", newestLocation: 11), now: Self.at(3)) == [])
    #expect(!changes.trials.isEmpty)
    #expect(
      changes.handle(.answered(by: "a", newestLocation: 11), now: Self.at(4)) == [
        .proved([Self.mode]), .keep,
      ])
    #expect(changes.trials.isEmpty && changes.values == [Self.mode: "off"])
    #expect(changes.nextTimeout == nil)
  }

  @Test func atHalfItChecksInAndAtTheWholeItGoesBack() {
    var changes = Self.onTrial()
    #expect(changes.handleTimeout(now: Self.at(39_999)).contains(.checkIn(["a"])) == false)
    #expect(changes.handleTimeout(now: Self.at(40_000)).contains(.checkIn(["a"])))
    #expect(changes.handleTimeout(now: Self.at(49_999)).contains(.checkIn(["a"])) == false)
    #expect(changes.handleTimeout(now: Self.at(50_000)).contains(.checkIn(["a"])), "it tries again")
    #expect(changes.values == [Self.mode: "off"])
    #expect(
      changes.handleTimeout(now: Self.at(80_000)) == [
        .wentBack([Self.mode], by: "a", .notProved), .changed, .keep,
      ])
    #expect(changes.values.isEmpty && changes.trials.isEmpty)
  }

  @Test func itGoesBackToWhatWasProvenBefore() {
    var changes = Self.onTrial([Self.interval: "1m"])
    _ = changes.handle(.answered(by: "a", newestLocation: 11), now: Self.at(1))
    _ = changes.handle(
      .wished([Self.interval: "off", Self.mode: "off"], by: "a", afterRecord: 20), now: Self.at(2))
    _ = changes.handleTimeout(now: Self.at(80_002))
    #expect(changes.values == [Self.interval: "1m"])
  }

  @Test func aSecondValueDuringATrialGoesBackToTheProvenOneAndGetsNoMoreTime() {
    var changes = Self.onTrial([Self.interval: "1m"])
    _ = changes.handle(.wished([Self.interval: "off"], by: "a", afterRecord: 20), now: Self.at(50_000))
    #expect(changes.goesBackAt == Self.at(80_000), "a change gets no more time by another")
    #expect(changes.handle(.answered(by: "a", newestLocation: 15), now: Self.at(60_000)) == [])
    _ = changes.handleTimeout(now: Self.at(80_000))
    #expect(changes.values.isEmpty)
  }

  // MARK: Several settings at a time

  /// What happens at which second, to a box that holds `send_interval` 1m as proven; then what stands.
  struct Course {
    enum Step {
      case wish(ServerKey, String, by: String = "a", after: Int64)
      case answer(by: String = "a", Int64?)
      case restart
    }

    var promise: String
    var steps: [(at: Int64, Step)]
    /// When it is looked at.
    var end: Int64
    var values: [ServerKey: String]
    var onTrial: [ServerKey: Int64] = [:]
  }

  static let size = ServerKey("main.batch_size", destination: "b")

  static let courses = [
    Course(
      promise: "what proved itself stays when another goes back",
      steps: [
        (0, .wish(mode, "both", after: 10)), (100, .answer(11)), (200, .wish(interval, "off", after: 20)),
      ],
      end: 80_200, values: [mode: "both", interval: "1m"]),
    Course(
      promise: "the answer that proves the first comes after the second has begun",
      steps: [
        (0, .wish(mode, "both", after: 10)), (100, .wish(interval, "off", after: 20)), (200, .answer(15)),
      ],
      end: 300, values: [mode: "both", interval: "off"], onTrial: [interval: 80_100]),
    Course(
      promise: "and it stays when the second then goes back, across a restart",
      steps: [
        (0, .wish(mode, "both", after: 10)), (100, .wish(interval, "off", after: 20)), (150, .restart),
        (200, .answer(15)), (300, .restart),
      ],
      end: 80_100, values: [mode: "both", interval: "1m"]),
    Course(
      promise: "each goes back in its own time",
      steps: [
        (0, .wish(mode, "both", after: 10)), (50_000, .wish(interval, "off", after: 20)), (60_000, .restart),
      ],
      end: 80_000, values: [interval: "off"], onTrial: [interval: 130_000]),
    Course(
      promise: "another setting gives a trial no more time",
      steps: [
        (0, .wish(mode, "both", after: 10)), (30_000, .wish(interval, "off", after: 10)),
        (60_000, .wish(size, "5", after: 10)), (79_999, .wish(interval, "2m", after: 10)),
      ],
      end: 80_000, values: [interval: "2m", size: "5"], onTrial: [interval: 110_000, size: 140_000]),
    Course(
      promise: "a later value of the same setting goes back to the proven one",
      steps: [
        (0, .wish(interval, "2m", after: 10)), (10, .wish(interval, "3m", after: 11)), (20, .restart),
        (30, .wish(interval, "off", after: 12)),
      ],
      end: 80_000, values: [interval: "1m"]),
    Course(
      promise: "an answer proves nothing of another server",
      steps: [
        (0, .wish(mode, "both", after: 10)), (1, .wish(size, "5", by: "b", after: 10)),
        (2, .answer(by: "b", 11)), (3, .restart),
      ],
      end: 80_000, values: [interval: "1m", size: "5"]),
    Course(
      promise: "one that is taken back needs no proof and ends no other",
      steps: [
        (0, .wish(mode, "both", after: 10)), (10, .wish(interval, "off", after: 10)),
        (20, .wish(interval, "1m", after: 10)),
      ],
      end: 30, values: [mode: "both", interval: "1m"], onTrial: [mode: 80_000]),
  ]

  @Test(arguments: courses.indices)
  func settingsAreOnTrialOneByOne(row: Int) {
    let course = Self.courses[row]
    var changes = Self.changes()
    changes.values = [Self.interval: "1m"]
    for (second, step) in course.steps {
      let now = Self.at(second)
      switch step {
      case .wish(let key, let value, let by, let after):
        #expect(!changes.handle(.wished([key: value], by: by, afterRecord: after), now: now).isEmpty)
      case .answer(let by, let newest):
        _ = changes.handle(.answered(by: by, newestLocation: newest), now: now)
      case .restart:
        changes = ServerChanges(
          changes.record(now: now, boot: "one", utc: Self.utc), rules: changes.rules, now: now, boot: "one",
          utc: Self.utc)
      }
    }
    while let next = changes.nextTimeout, next <= Self.at(course.end) { _ = changes.handleTimeout(now: next) }
    #expect(changes.values == course.values, "\(course.promise)")
    #expect(
      changes.trials.keys.sorted() == course.onTrial.keys.sorted()
        && course.onTrial.allSatisfy { changes.goesBackAt($0.key) == Self.at($0.value) }, "\(course.promise)")
  }

  @Test func whatGoesBackIsToldByTheServerThatSetIt() {
    var changes = Self.onTrial()
    _ = changes.handle(.wished([Self.size: "5"], by: "b", afterRecord: 10), now: .zero)
    #expect(
      changes.handleTimeout(now: Self.at(80_000)) == [
        .wentBack([Self.mode], by: "a", .notProved), .wentBack([Self.size], by: "b", .notProved), .changed,
        .keep,
      ])
  }

  @Test func aCrashLoopTakesBackWhatIsOnTrialAndNothingElse() {
    var changes = Self.onTrial([Self.interval: "1m"])
    _ = changes.handle(.answered(by: "a", newestLocation: 11), now: Self.at(1))
    _ = changes.handle(.wished([Self.mode: "off"], by: "a", afterRecord: 20), now: Self.at(2))
    for start in 1...10 {
      let now = Self.at(Int64(start) * 5)
      changes = Self.after(changes, at: now, boot: "one", next: now)
      _ = changes.handleTimeout(now: now)
    }
    #expect(changes.values == [Self.interval: "1m"] && changes.trials.isEmpty)
  }

  /// A box that cannot get a fix hears from its server at each check-in; that must not have it check in without end.
  @Test func anAnswerThatProvesNothingBringsNoFurtherCheckIn() {
    var changes = Self.changes(silenced: ["a"])
    _ = changes.handle(.wished([Self.mode: "off"], by: "a", afterRecord: 10), now: .zero)
    var checkIns = 0
    while let next = changes.nextTimeout, next < Self.at(80_000) {
      guard changes.handleTimeout(now: next).contains(.checkIn(["a"])) else { continue }
      checkIns += 1
      _ = changes.handle(.answered(by: "a", newestLocation: nil), now: next)
      // And the server changes its mind each time.
      _ = changes.handle(.wished([Self.mode: "\(checkIns)"], by: "a", afterRecord: 10), now: next)
    }
    #expect(checkIns == 4, "at half, and each eighth from then on")
  }

  @Test func aRecordOfATrialOfSeveralIsRead() throws {
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
  func figuresThatNobodyWroteDoNoHarm(figure: Int64) {
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

  @Test func aChangeThatIsTakenBackNeedsNoProof() {
    var changes = Self.onTrial([Self.interval: "1m"])
    _ = changes.handle(.answered(by: "a", newestLocation: 11), now: Self.at(1))
    _ = changes.handle(.wished([Self.interval: "off"], by: "a", afterRecord: 20), now: Self.at(2))
    _ = changes.handle(.wished([Self.interval: "1m"], by: "a", afterRecord: 21), now: Self.at(3))
    #expect(changes.trials.isEmpty && changes.values == [Self.interval: "1m"])
  }

  @Test func theSameChangeIsNotTriedEndlessly() {
    var changes = Self.changes()
    for round in 0..<3 {
      let start = Int64(round) * 100_000
      #expect(
        !changes.handle(.wished([Self.mode: "off"], by: "a", afterRecord: 1), now: Self.at(start)).isEmpty)
      _ = changes.handleTimeout(now: Self.at(start + 80_000))
    }
    let wishes = [Self.mode: "off", Self.interval: "1m"]
    let actions = changes.handle(.wished(wishes, by: "a", afterRecord: 1), now: Self.at(400_000))
    #expect(actions == [.refused([Self.mode]), .began([Self.interval]), .changed, .keep])
    #expect(changes.values == [Self.interval: "1m"])
    let other = changes.handle(.wished([Self.mode: "both"], by: "a", afterRecord: 1), now: Self.at(400_001))
    #expect(other.contains(.began([Self.mode])), "another value is another change")
  }

  @Test func aSilencedBoxChecksInAtHalfAgainAndAgain() {
    var changes = Self.changes(silenced: ["a"])
    for half in 1...3 {
      let now = Self.at(Int64(half) * 40_000)
      #expect(!changes.handleTimeout(now: Self.at(Int64(half) * 40_000 - 1)).contains(.checkIn(["a"])))
      #expect(changes.handleTimeout(now: now).contains(.checkIn(["a"])))
      #expect(changes.handle(.answered(by: "a", newestLocation: 7), now: now) == [.keep])
    }
  }

  @Test func aBoxThatIsInTouchNeitherChecksInNorWritesForEachAnswer() {
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

  @Test func aBoxThatIsSwitchedOffDoesNotCheckIn() {
    var changes = Self.changes(silenced: ["a"])
    _ = changes.handle(
      .rules(.init(maxSilence: Self.silence, silenced: ["a"], isTracking: false)), now: .zero)
    #expect(changes.nextCheckIn == nil)
  }

  // MARK: Restarts

  static let utc = Timestamp(milliseconds: 1_800_000_000_000)

  static func after(
    _ changes: ServerChanges, at now: Moment, boot: String, next: Moment, utc later: Timestamp = utc
  )
    -> ServerChanges
  {
    ServerChanges(
      changes.record(now: now, boot: "one", utc: utc), rules: changes.rules, now: next, boot: boot, utc: later
    )
  }

  @Test func theTimeGoesOnAcrossAKill() {
    let later = Self.after(Self.onTrial(at: 100), at: Self.at(20_000), boot: "one", next: Self.at(30_000))
    #expect(later.goesBackAt == Self.at(80_100))
    #expect(
      later.values == [Self.mode: "off"] && later.trials[Self.mode]?.afterRecord == 10
        && later.trials[Self.mode]?.by == "a")
  }

  /// By the boot's own clock at least, and by the system's where it makes sense.
  @Test(
    arguments: [
      (1000, 500, 59_000), (1000, -50_000, 59_000), (1000, 30_000, 30_000), (1000, 50_000_000, -34_500_000),
    ] as [(uptime: Int64, system: Int64, left: Int64)])
  func theTimeGoesOnAcrossAReboot(uptime: Int64, system: Int64, left: Int64) {
    let later = Self.after(
      Self.onTrial(), at: Self.at(20_000), boot: "two", next: Self.at(uptime),
      utc: Timestamp(milliseconds: Self.utc.milliseconds + system * 1000))
    let remaining = later.goesBackAt.map { ($0 - Self.at(uptime)).inSeconds }
    #expect(remaining == Double(left))
  }

  @Test func anUnsetClockIsNoneAcrossAReboot() {
    var record = Self.onTrial().record(now: Self.at(20_000), boot: "one", utc: Timestamp(milliseconds: 5000))
    record.utc_ms = 5000
    let later = ServerChanges(
      record, rules: Self.onTrial().rules, now: Self.at(10), boot: "two", utc: Self.utc)
    #expect(later.goesBackAt == Self.at(60_000))
  }

  @Test func aTrialThatIsOverdueGoesBackAtTheStart() {
    var later = Self.after(Self.onTrial(), at: Self.at(20_000), boot: "one", next: Self.at(90_000))
    #expect(later.handleTimeout(now: Self.at(90_000)).contains(.wentBack([Self.mode], by: "a", .notProved)))
  }

  @Test func aSilencedBoxRemembersHowLongItWasOutOfReach() {
    var changes = Self.changes(silenced: ["a"])
    _ = changes.handle(.answered(by: "a", newestLocation: nil), now: Self.at(5000))
    let later = Self.after(changes, at: Self.at(15_000), boot: "two", next: Self.at(60))
    #expect(later.nextCheckIn == Self.at(30_000))
  }

  @Test func aCrashLoopTakesTheChangeBack() {
    var changes = Self.onTrial()
    for start in 1...9 {
      let now = Self.at(Int64(start) * 5)
      changes = Self.after(changes, at: now, boot: "one", next: now)
      #expect(!changes.handleTimeout(now: now).contains(.changed), "start \(start)")
    }
    changes = Self.after(changes, at: Self.at(50), boot: "one", next: Self.at(50))
    #expect(
      changes.handleTimeout(now: Self.at(50)) == [.wentBack([Self.mode], by: "a", .crashes), .changed, .keep])
  }

  @Test func startsThatLastOrEndInGoodOrderAreNoCrashes() {
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

  // MARK: At random

  /// Whatever happens in whatever order: nothing unproven outlasts its time, what goes back goes back to what was proven
  /// of it, nothing proven goes, and a restart changes none of it.
  @Test(arguments: 0..<200)
  func aBoxIsNeverStranded(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var changes = Self.changes()
    var now = Moment.zero
    var record: Int64 = 0
    var proven: [ServerKey: String] = [:]
    /// When each setting was last as proven.
    var unprovenSince: [ServerKey: Moment] = [:]
    let keys = [Self.mode, Self.interval, Self.size]
    for _ in 0..<120 {
      let until = now + .seconds(Int64.random(in: 0...20_000, using: &random))
      while let timeout = changes.nextTimeout, timeout <= until {
        let before = changes
        let actions = changes.handleTimeout(now: max(timeout, .zero))
        #expect(!actions.isEmpty, "seed \(seed): a deadline leads to something")
        for key in keys where changes.trials[key] == nil { unprovenSince[key] = nil }
        for key in keys where before.values[key] != changes.values[key] {
          #expect(changes.values[key] == proven[key] && changes.trials[key] == nil, "seed \(seed)")
          #expect(before.goesBackAt(key).map { timeout >= $0 } == true, "seed \(seed)")
        }
      }
      now = until
      let key = keys.randomElement(using: &random) ?? Self.mode
      let server = key == Self.size ? "b" : "a"
      switch Int.random(in: 0..<5, using: &random) {
      case 0:
        let value = ["off", "standard", "1m"].randomElement(using: &random) ?? "off"
        _ = changes.handle(.wished([key: value], by: server, afterRecord: record), now: now)
      case 1:
        record += 1
        let others = changes.trials.filter { $0.value.by != server }
        _ = changes.handle(.answered(by: server, newestLocation: record), now: now)
        #expect(changes.trials == others, "seed \(seed)")
      case 2:
        let before = changes.trials
        _ = changes.handle(.answered(by: server, newestLocation: 0), now: now)
        #expect(changes.trials == before, "seed \(seed)")
      case 3:
        let kept = changes.record(now: now, boot: "one", utc: Self.utc)
        var next = ServerChanges(kept, rules: changes.rules, now: now, boot: "one", utc: Self.utc)
        for key in next.trials.keys { next.trials[key]?.briefStarts = 0 }
        #expect(next.values == changes.values && next.trials == changes.trials, "seed \(seed)")
        changes = next
      default: break
      }
      for key in keys {
        if changes.trials[key] == nil {
          proven[key] = changes.values[key]
          unprovenSince[key] = nil
        } else {
          let since = unprovenSince[key] ?? now
          unprovenSince[key] = since
          #expect(
            now - since <= Self.silence && changes.goesBackAt(key) == since + Self.silence, "seed \(seed)")
        }
      }
    }
  }
}
