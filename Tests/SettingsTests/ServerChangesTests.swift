import Quantities
import Testing

@testable import Settings

/// A change by a server is on trial until it is proven; otherwise it is rolled back.
@Suite struct ServerChangesTests: MadeUpServers {
  @Test func aChangeTakesEffectImmediatelyAndIsStored() {
    var changes = Self.changes()
    let actions = changes.handle(.requested([Self.mode: "off"], by: "a", afterRecord: 10), now: .zero)
    #expect(actions == [.began([Self.mode]), .changed, .keep])
    #expect(changes.values == [Self.mode: "off"])
    #expect(changes.rollbackTime == Self.at(80_000))
  }

  @Test func theSameValueAgainChangesNothing() {
    var changes = Self.onTrial()
    let before = changes
    #expect(changes.handle(.requested([Self.mode: "off"], by: "a", afterRecord: 99), now: Self.at(500)) == [])
    #expect(changes == before)
  }

  @Test func anAcknowledgedLocationProvesAChange() {
    var changes = Self.onTrial()
    #expect(changes.handle(.answered(by: "a", newestLocation: 10), now: Self.at(1)) == [])
    #expect(changes.handle(.answered(by: "a", newestLocation: nil), now: Self.at(2)) == [])
    #expect(changes.handle(.answered(by: "b", newestLocation: 11), now: Self.at(3)) == [])
    #expect(!changes.trials.isEmpty)
    #expect(
      changes.handle(.answered(by: "a", newestLocation: 11), now: Self.at(4)) == [
        .proven([Self.mode]), .keep,
      ])
    #expect(changes.trials.isEmpty && changes.values == [Self.mode: "off"])
    #expect(changes.nextTimeout == nil)
  }

  @Test func aChangeIsRolledBackToTheLastProvenValue() {
    var changes = Self.onTrial([Self.interval: "1m"])
    _ = changes.handle(.answered(by: "a", newestLocation: 11), now: Self.at(1))
    _ = changes.handle(
      .requested([Self.interval: "off", Self.mode: "off"], by: "a", afterRecord: 20), now: Self.at(2))
    _ = changes.handleTimeout(now: Self.at(80_002))
    #expect(changes.values == [Self.interval: "1m"])
  }

  @Test func aSecondValueDoesNotExtendATrial() {
    var changes = Self.onTrial([Self.interval: "1m"])
    _ = changes.handle(.requested([Self.interval: "off"], by: "a", afterRecord: 20), now: Self.at(50_000))
    #expect(changes.rollbackTime == Self.at(80_000), "a second value does not extend the trial")
    #expect(changes.handle(.answered(by: "a", newestLocation: 15), now: Self.at(60_000)) == [])
    _ = changes.handleTimeout(now: Self.at(80_000))
    #expect(changes.values.isEmpty)
  }

  // MARK: Several settings

  /// A sequence of events in seconds, beginning with `send_interval` 1m proven, and the resulting state.
  struct Course {
    enum Step {
      case request(ServerKey, String, by: String = "a", after: Int64)
      case answer(by: String = "a", Int64?)
      case restart
    }

    var promise: String
    var steps: [(at: Int64, Step)]
    /// The time at which the state is checked.
    var end: Int64
    var values: [ServerKey: String]
    var onTrial: [ServerKey: Int64] = [:]
  }

  static let courses = [
    Course(
      promise: "a proven value stays when another is rolled back",
      steps: [
        (0, .request(mode, "both", after: 10)), (100, .answer(11)),
        (200, .request(interval, "off", after: 20)),
      ],
      end: 80_200, values: [mode: "both", interval: "1m"]),
    Course(
      promise: "a response proves the first trial after the second has started",
      steps: [
        (0, .request(mode, "both", after: 10)), (100, .request(interval, "off", after: 20)),
        (200, .answer(15)),
      ],
      end: 300, values: [mode: "both", interval: "off"], onTrial: [interval: 80_100]),
    Course(
      promise: "the first value stays when the second is rolled back after a restart",
      steps: [
        (0, .request(mode, "both", after: 10)), (100, .request(interval, "off", after: 20)), (150, .restart),
        (200, .answer(15)), (300, .restart),
      ],
      end: 80_100, values: [mode: "both", interval: "1m"]),
    Course(
      promise: "every trial ends at its own time",
      steps: [
        (0, .request(mode, "both", after: 10)), (50_000, .request(interval, "off", after: 20)),
        (60_000, .restart),
      ],
      end: 80_000, values: [interval: "off"], onTrial: [interval: 130_000]),
    Course(
      promise: "a change of another setting does not extend a trial",
      steps: [
        (0, .request(mode, "both", after: 10)), (30_000, .request(interval, "off", after: 10)),
        (60_000, .request(size, "5", after: 10)), (79_999, .request(interval, "2m", after: 10)),
      ],
      end: 80_000, values: [interval: "2m", size: "5"], onTrial: [interval: 110_000, size: 140_000]),
    Course(
      promise: "a later value of the same setting is rolled back to the proven one",
      steps: [
        (0, .request(interval, "2m", after: 10)), (10, .request(interval, "3m", after: 11)), (20, .restart),
        (30, .request(interval, "off", after: 12)),
      ],
      end: 80_000, values: [interval: "1m"]),
    Course(
      promise: "a response proves no value of another server",
      steps: [
        (0, .request(mode, "both", after: 10)), (1, .request(size, "5", by: "b", after: 10)),
        (2, .answer(by: "b", 11)), (3, .restart),
      ],
      end: 80_000, values: [interval: "1m", size: "5"]),
    Course(
      promise: "a reverted value requires no proof and ends no other trial",
      steps: [
        (0, .request(mode, "both", after: 10)), (10, .request(interval, "off", after: 10)),
        (20, .request(interval, "1m", after: 10)),
      ],
      end: 30, values: [mode: "both", interval: "1m"], onTrial: [mode: 80_000]),
  ]

  @Test(arguments: courses.indices)
  func everySettingHasItsOwnTrial(row: Int) {
    let course = Self.courses[row]
    var changes = Self.changes(proven: [Self.interval: "1m"])
    for (second, step) in course.steps {
      let now = Self.at(second)
      switch step {
      case .request(let key, let value, let by, let after):
        #expect(!changes.handle(.requested([key: value], by: by, afterRecord: after), now: now).isEmpty)
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
        && course.onTrial.allSatisfy { changes.rollbackTime($0.key) == Self.at($0.value) },
      "\(course.promise)")
  }

  @Test func rollbacksAreReportedPerServer() {
    var changes = Self.onTrial()
    _ = changes.handle(.requested([Self.size: "5"], by: "b", afterRecord: 10), now: .zero)
    #expect(
      changes.handleTimeout(now: Self.at(80_000)) == [
        .rolledBack([Self.mode], by: "a", .unproven), .rolledBack([Self.size], by: "b", .unproven), .changed,
        .keep,
      ])
  }

  @Test func aRevertedChangeRequiresNoProof() {
    var changes = Self.onTrial([Self.interval: "1m"])
    _ = changes.handle(.answered(by: "a", newestLocation: 11), now: Self.at(1))
    _ = changes.handle(.requested([Self.interval: "off"], by: "a", afterRecord: 20), now: Self.at(2))
    _ = changes.handle(.requested([Self.interval: "1m"], by: "a", afterRecord: 21), now: Self.at(3))
    #expect(changes.trials.isEmpty && changes.values == [Self.interval: "1m"])
  }

  @Test func theNumberOfTrialsOfAValueIsLimited() {
    // The limit applies even if its server has changed the value in between.
    var changes = Self.changes(
      rolledBack: [.init(key: Self.mode, value: "off", failures: 3, by: "a", changed: true)])
    let requested = [Self.mode: "off", Self.interval: "1m"]
    let actions = changes.handle(.requested(requested, by: "a", afterRecord: 1), now: Self.at(400_000))
    #expect(actions == [.refused([Self.mode]), .began([Self.interval]), .changed, .keep])
    #expect(changes.values == [Self.interval: "1m"])
    let other = changes.handle(
      .requested([Self.mode: "both"], by: "a", afterRecord: 1), now: Self.at(400_001))
    #expect(other.contains(.began([Self.mode])), "another value is another change")
  }

  @Test func aRolledBackValueIsTriedAgainOnlyAfterAnotherOneOfItsServer() {
    var changes = Self.onTrial()
    _ = changes.handleTimeout(now: Self.at(80_000))
    let request = ServerChanges.Event.requested([Self.mode: "off"], by: "a", afterRecord: 1)
    #expect(changes.handle(request, now: Self.at(80_000)) == [.refused([Self.mode])])
    changes = Self.after(changes, at: Self.at(80_001), boot: "one", next: Self.at(80_001))
    #expect(changes.handle(request, now: Self.at(300_000)) == [.refused([Self.mode])], "also after a restart")
    let ofAnother = changes.handle(
      .requested([Self.mode: "both"], by: "b", afterRecord: 1), now: Self.at(300_001))
    #expect(ofAnother.contains(.began([Self.mode])))
    _ = changes.handle(.answered(by: "b", newestLocation: 2), now: Self.at(300_002))
    var record = changes.record(now: Self.at(300_002), boot: "one", utc: Self.utc)
    record.failures = [.init(key: Self.mode, value: "off", failures: 1, by: "a")]
    changes = ServerChanges(
      record, rules: changes.rules, now: Self.at(300_002), boot: "one", utc: Self.utc)
    _ = changes.handle(.requested([Self.mode: "x"], by: "b", afterRecord: 1), now: Self.at(300_003))
    #expect(changes.handle(request, now: Self.at(300_004)) == [.refused([Self.mode])], "not its own change")
    _ = changes.handle(.requested([Self.mode: "standard"], by: "a", afterRecord: 1), now: Self.at(300_005))
    #expect(changes.handle(request, now: Self.at(300_006)) == [.began([Self.mode]), .changed, .keep])
  }

  // MARK: Random sequences

  /// In any sequence of events, no unproven value outlasts its trial, every rollback restores the proven value, proven
  /// values stay, and a restart changes nothing.
  @Test(arguments: 0..<200)
  func noSequenceOfChangesCutsADeviceOff(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var changes = Self.changes()
    var now = Moment.zero
    var record: Int64 = 0
    var proven: [ServerKey: String] = [:]
    /// The time since which each setting is unproven.
    var unprovenSince: [ServerKey: Moment] = [:]
    let keys = [Self.mode, Self.interval, Self.size]
    for _ in 0..<120 {
      let until = now + .seconds(Int64.random(in: 0...20_000, using: &random))
      while let timeout = changes.nextTimeout, timeout <= until {
        let before = changes
        let actions = changes.handleTimeout(now: max(timeout, .zero))
        #expect(!actions.isEmpty, "seed \(seed): every deadline causes an action")
        for key in keys where changes.trials[key] == nil { unprovenSince[key] = nil }
        for key in keys where before.values[key] != changes.values[key] {
          #expect(changes.values[key] == proven[key] && changes.trials[key] == nil, "seed \(seed)")
          #expect(before.rollbackTime(key).map { timeout >= $0 } == true, "seed \(seed)")
        }
      }
      now = until
      let key = keys.randomElement(using: &random) ?? Self.mode
      let server = key == Self.size ? "b" : "a"
      switch Int.random(in: 0..<5, using: &random) {
      case 0:
        let value = ["off", "standard", "1m"].randomElement(using: &random) ?? "off"
        _ = changes.handle(.requested([key: value], by: server, afterRecord: record), now: now)
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
        // A run that ends normally is no short run, whatever its length.
        _ = changes.handle(.stopping, now: now)
        let kept = changes.record(now: now, boot: "one", utc: Self.utc)
        let next = ServerChanges(kept, rules: changes.rules, now: now, boot: "one", utc: Self.utc)
        let trials = next.trials.mapValues { trial in
          var trial = trial
          trial.briefStarts = 0
          return trial
        }
        #expect(next.values == changes.values && trials == changes.trials, "seed \(seed)")
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
            now - since <= Self.silence && changes.rollbackTime(key) == since + Self.silence, "seed \(seed)")
        }
      }
    }
  }
}
