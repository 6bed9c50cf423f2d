import Quantities
import Testing

@testable import Settings

/// The rate limit of changes by a server that sends a new value in every response.
@Suite struct ServerRateLimitTests: MadeUpServers {
  /// Sends a new value every minute until the rate limit applies.
  static func worn(_ changes: inout ServerChanges, key: ServerKey = mode, by name: String = "a") {
    for minute in 0..<Int64(ServerChanges.mostChanges) {
      let actions = changes.handle(
        .requested([key: "\(minute)"], by: name, afterRecord: 10), now: at(minute * 60))
      #expect(actions == [.began([key]), .changed, .keep])
    }
  }

  @Test func furtherChangesWithinAnHourAreReportedOnceAndPostponed() {
    var changes = Self.changes()
    Self.worn(&changes)
    let (values, trials) = (changes.values, changes.trials)
    for minute in Int64(ServerChanges.mostChanges)..<60 {
      let request = ServerChanges.Event.requested([Self.mode: "\(minute)"], by: "a", afterRecord: 10)
      let isNew = minute == Int64(ServerChanges.mostChanges)
      #expect(changes.handle(request, now: Self.at(minute * 60)) == [.postponed([Self.mode], isNew: isNew)])
    }
    #expect(changes.values == values && changes.trials == trials)
    let late = changes.handle(.requested([Self.mode: "late"], by: "a", afterRecord: 10), now: Self.at(3600))
    #expect(late == [.began([Self.mode]), .changed, .keep])
    #expect(
      changes.handle(.requested([Self.mode: "later"], by: "a", afterRecord: 10), now: Self.at(3601)) == [
        .postponed([Self.mode], isNew: true)
      ])
  }

  @Test func theLastPostponedValueIsDueAfterTheHour() {
    var changes = Self.changes()
    Self.worn(&changes)
    for (second, value) in [(400, "x"), (401, "y"), (402, "z")] as [(Int64, String)] {
      _ = changes.handle(.requested([Self.mode: value], by: "a", afterRecord: 10), now: Self.at(second))
    }
    #expect(changes.nextTimeout == Self.at(401) && changes.nextTask == Self.at(3600))
    #expect(changes.handleTimeout(now: Self.at(402)) == [.keep], "the last value outlasts a power cut")
    #expect(changes.nextTimeout == Self.at(3600) && changes.handleTimeout(now: Self.at(3599)) == [])
    var later = changes
    #expect(later.handleTimeout(now: Self.at(3600)) == [.due([Self.mode: "z"], by: "a")])
    #expect(!later.isWaiting(Self.mode, by: "a"))
    let began = later.handle(.requested([Self.mode: "z"], by: "a", afterRecord: 90), now: Self.at(3600))
    #expect(began == [.began([Self.mode]), .changed, .keep] && later.trials[Self.mode]?.afterRecord == 90)
    // The present value is requested again, so that no value is postponed any more.
    _ = changes.handle(.requested([Self.mode: "5"], by: "a", afterRecord: 10), now: Self.at(500))
    #expect(!changes.isWaiting(Self.mode, by: "a") && changes.nextTimeout != Self.at(3600))
  }

  @Test func aPostponedValueOutlastsARestartUntilItIsUnset() throws {
    var changes = Self.changes()
    Self.worn(&changes)
    _ = changes.handle(.requested([Self.mode: "x"], by: "a", afterRecord: 10), now: Self.at(400))
    #expect(changes.handle(.stopping, now: Self.at(401)) == [.keep])
    var next = Self.after(changes, at: Self.at(401), boot: "one", next: Self.at(402))
    #expect(next.handleTimeout(now: Self.at(402)) == [.due([Self.mode: "x"], by: "a")])
    _ = changes.handle(.unset([Self.mode.path]), now: Self.at(403))
    #expect(!changes.isWaiting(Self.mode, by: "a"))
  }

  @Test func theRateLimitOfOneSettingDoesNotAffectOthers() {
    var changes = Self.changes()
    Self.worn(&changes)
    #expect(
      changes.handle(
        .requested([Self.mode: "x", Self.interval: "1m"], by: "a", afterRecord: 10), now: Self.at(400)) == [
          .postponed([Self.mode], isNew: true), .began([Self.interval]), .changed, .keep,
        ])
    let other = changes.handle(.requested([Self.mode: "x"], by: "b", afterRecord: 10), now: Self.at(401))
    #expect(other == [.began([Self.mode]), .changed, .keep], "another server has its own rate limit")
  }

  @Test func aTrialEndsWhileFurtherValuesArePostponed() {
    var changes = Self.changes(proven: [Self.mode: "good"])
    Self.worn(&changes)
    var proven = changes
    #expect(
      proven.handle(.answered(by: "a", newestLocation: 11), now: Self.at(500)) == [
        .proven([Self.mode]), .keep,
      ])
    _ = changes.handle(.requested([Self.mode: "x"], by: "a", afterRecord: 10), now: Self.at(500))
    #expect(changes.rollbackTime == Self.at(80_000))
    _ = changes.handleTimeout(now: Self.at(80_000))
    #expect(changes.values == [Self.mode: "good"] && changes.trials.isEmpty)
  }

  /// Servers that send random values at intervals of seconds to minutes.
  @Test(arguments: 0..<100)
  func theNumberOfChangesIsLimitedAndTheLastValueApplies(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var changes = Self.changes()
    var now = Moment.zero
    var begun: [String: [Moment]] = [:]
    var proven: [ServerKey: String] = [:]
    let keys = [Self.mode, Self.interval, Self.size]
    for _ in 0..<400 {
      now = now + .seconds(Int64.random(in: 1...300, using: &random))
      while let next = changes.nextTimeout, next <= now {
        for case .due(let requested, let name) in changes.handleTimeout(now: next) {
          let before = changes
          let actions = changes.handle(.requested(requested, by: name, afterRecord: 10), now: next)
          for case .began(let keys) in actions {
            for key in keys {
              begun["\(key) \(name)", default: []].append(next)
              if let trial = changes.trials[key] {
                #expect(
                  trial.before == before.trials[key].map(\.before) ?? before.values[key], "seed \(seed)")
              }
            }
          }
        }
        for key in keys where changes.trials[key] == nil { proven[key] = changes.values[key] }
      }
      let name = Bool.random(using: &random) ? "a" : "b"
      let key = keys.randomElement(using: &random) ?? Self.mode
      let before = changes
      let actions = changes.handle(
        .requested([key: "\(Int.random(in: 0..<3, using: &random))"], by: name, afterRecord: 10), now: now)
      if actions.contains(.began([key])) {
        begun["\(key) \(name)", default: []].append(now)
        if changes.trials[key] == nil {
          #expect(changes.values[key] == before.trials[key]?.before, "seed \(seed)")
        } else {
          #expect(changes.trials[key]?.before == proven[key], "seed \(seed)")
        }
      } else if actions.contains(where: { if case .postponed = $0 { true } else { false } }) {
        #expect(changes.values == before.values && changes.trials == before.trials, "seed \(seed)")
        #expect(!actions.contains(.keep) && !actions.contains(.changed), "seed \(seed)")
      }
      if Int.random(in: 0..<10, using: &random) == 0 {
        _ = changes.handle(.answered(by: name, newestLocation: 11), now: now)
      }
      for key in keys where changes.trials[key] == nil { proven[key] = changes.values[key] }
    }
    for (who, times) in begun {
      for (index, time) in times.enumerated() where index >= ServerChanges.mostChanges {
        let earlier = times[index - ServerChanges.mostChanges]
        #expect(time - earlier >= .seconds(3600), "seed \(seed): \(who)")
      }
    }
    let last = "the last"
    let actions = changes.handle(
      .requested([Self.mode: last], by: "a", afterRecord: 10), now: now + .seconds(3600))
    #expect(actions == [.began([Self.mode]), .changed, .keep], "seed \(seed)")
  }
}
