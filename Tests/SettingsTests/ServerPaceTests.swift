import Quantities
import Testing

@testable import Settings

/// A server that wants something else with each answer changes a setting some times an hour, and no more.
@Suite struct ServerPaceTests: MadeUpServers {
  /// Wishes another value each minute, as often as may be.
  static func worn(_ changes: inout ServerChanges, key: ServerKey = mode, by name: String = "a") {
    for minute in 0..<Int64(ServerChanges.mostChanges) {
      let actions = changes.handle(
        .wished([key: "\(minute)"], by: name, afterRecord: 10), now: at(minute * 60))
      #expect(actions == [.began([key]), .changed, .keep])
    }
  }

  @Test func furtherChangesWithinAnHourAreToldOnceAndChangeNothing() {
    var changes = Self.changes()
    Self.worn(&changes)
    let (values, trials) = (changes.values, changes.trials)
    for minute in Int64(ServerChanges.mostChanges)..<60 {
      let wish = ServerChanges.Event.wished([Self.mode: "\(minute)"], by: "a", afterRecord: 10)
      let isNew = minute == Int64(ServerChanges.mostChanges)
      #expect(changes.handle(wish, now: Self.at(minute * 60)) == [.hasToWait([Self.mode], isNew: isNew)])
    }
    #expect(changes.values == values && changes.trials == trials)
    let late = changes.handle(.wished([Self.mode: "late"], by: "a", afterRecord: 10), now: Self.at(3600))
    #expect(late == [.began([Self.mode]), .changed, .keep])
    #expect(
      changes.handle(.wished([Self.mode: "later"], by: "a", afterRecord: 10), now: Self.at(3601)) == [
        .hasToWait([Self.mode], isNew: true)
      ])
  }

  @Test func othersAreNotHeldUpByIt() {
    var changes = Self.changes()
    Self.worn(&changes)
    #expect(
      changes.handle(
        .wished([Self.mode: "x", Self.interval: "1m"], by: "a", afterRecord: 10), now: Self.at(400)) == [
          .hasToWait([Self.mode], isNew: true), .began([Self.interval]), .changed, .keep,
        ])
    let other = changes.handle(.wished([Self.mode: "x"], by: "b", afterRecord: 10), now: Self.at(401))
    #expect(other == [.began([Self.mode]), .changed, .keep], "another server has its own pace")
  }

  @Test func whatIsOnTrialProvesItselfOrGoesBackWhileTheServerHasToWait() {
    var changes = Self.changes()
    changes.values = [Self.mode: "good"]
    Self.worn(&changes)
    var proved = changes
    #expect(
      proved.handle(.answered(by: "a", newestLocation: 11), now: Self.at(500)) == [
        .proved([Self.mode]), .keep,
      ])
    _ = changes.handle(.wished([Self.mode: "x"], by: "a", afterRecord: 10), now: Self.at(500))
    #expect(changes.goesBackAt == Self.at(80_000))
    _ = changes.handleTimeout(now: Self.at(80_000))
    #expect(changes.values == [Self.mode: "good"] && changes.trials.isEmpty)
  }

  /// Servers that wish what comes to their minds, every few seconds to minutes.
  @Test(arguments: 0..<100)
  func whateverServersWantChangesAreBoundedAndTheLastWishCountsInTheEnd(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var changes = Self.changes()
    var now = Moment.zero
    var begun: [String: [Moment]] = [:]
    var proven: [ServerKey: String] = [:]
    let keys = [Self.mode, Self.interval, Self.size]
    for _ in 0..<400 {
      now = now + .seconds(Int64.random(in: 1...300, using: &random))
      while let next = changes.nextTimeout, next <= now { _ = changes.handleTimeout(now: next) }
      let name = Bool.random(using: &random) ? "a" : "b"
      let key = keys.randomElement(using: &random) ?? Self.mode
      let before = changes
      let actions = changes.handle(
        .wished([key: "\(Int.random(in: 0..<3, using: &random))"], by: name, afterRecord: 10), now: now)
      if actions.contains(.began([key])) {
        begun["\(key) \(name)", default: []].append(now)
        if changes.trials[key] == nil {
          #expect(changes.values[key] == before.trials[key]?.before, "seed \(seed)")
        } else {
          #expect(changes.trials[key]?.before == proven[key], "seed \(seed)")
        }
      } else if actions.contains(where: { if case .hasToWait = $0 { true } else { false } }) {
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
      .wished([Self.mode: last], by: "a", afterRecord: 10), now: now + .seconds(3600))
    #expect(actions == [.began([Self.mode]), .changed, .keep], "seed \(seed)")
  }
}
