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
    #expect(changes.trial != nil)
    #expect(
      changes.handle(.answered(by: "a", newestLocation: 11), now: Self.at(4)) == [
        .proved([Self.mode]), .keep,
      ])
    #expect(changes.trial == nil && changes.values == [Self.mode: "off"])
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
      changes.handleTimeout(now: Self.at(80_000)) == [.wentBack([Self.mode], .notProved), .changed, .keep])
    #expect(changes.values.isEmpty && changes.trial == nil)
  }

  @Test func itGoesBackToWhatWasProvenBefore() {
    var changes = Self.onTrial([Self.interval: "1m"])
    _ = changes.handle(.answered(by: "a", newestLocation: 11), now: Self.at(1))
    _ = changes.handle(
      .wished([Self.interval: "off", Self.mode: "off"], by: "a", afterRecord: 20), now: Self.at(2))
    _ = changes.handleTimeout(now: Self.at(80_002))
    #expect(changes.values == [Self.interval: "1m"])
  }

  @Test func aSecondChangeDuringATrialGoesBackToTheSamePlace() {
    var changes = Self.onTrial([Self.interval: "1m"])
    _ = changes.handle(.wished([Self.interval: "off"], by: "a", afterRecord: 20), now: Self.at(50_000))
    #expect(changes.goesBackAt == Self.at(80_000), "a change gets no more time by another")
    _ = changes.handleTimeout(now: Self.at(80_000))
    #expect(changes.values.isEmpty)
  }

  @Test func aChangeThatIsTakenBackNeedsNoProof() {
    var changes = Self.onTrial([Self.interval: "1m"])
    _ = changes.handle(.answered(by: "a", newestLocation: 11), now: Self.at(1))
    _ = changes.handle(.wished([Self.interval: "off"], by: "a", afterRecord: 20), now: Self.at(2))
    _ = changes.handle(.wished([Self.interval: "1m"], by: "a", afterRecord: 21), now: Self.at(3))
    #expect(changes.trial == nil && changes.values == [Self.interval: "1m"])
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
    #expect(later.values == [Self.mode: "off"] && later.trial?.afterRecord == 10 && later.trial?.by == "a")
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
    #expect(later.handleTimeout(now: Self.at(90_000)).contains(.wentBack([Self.mode], .notProved)))
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
    #expect(changes.handleTimeout(now: Self.at(50)) == [.wentBack([Self.mode], .crashes), .changed, .keep])
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
      #expect(changes.trial?.briefStarts == 0)
    }
  }

  // MARK: At random

  /// Whatever happens in whatever order: the box is never silent for longer than it may be, nothing unproven outlasts
  /// its time, and a restart changes neither.
  @Test(arguments: 0..<200)
  func aBoxIsNeverStranded(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var changes = Self.changes()
    var now = Moment.zero
    var record: Int64 = 0
    var proven: [ServerKey: String] = [:]
    let values = ["off", "standard", "1m"]
    for _ in 0..<120 {
      now = now + .seconds(Int64.random(in: 0...20_000, using: &random))
      var actions: [ServerChanges.Action] = []
      while let timeout = changes.nextTimeout, timeout <= now {
        let began = changes.trial?.since
        actions = changes.handleTimeout(now: max(timeout, .zero))
        #expect(!actions.isEmpty, "a deadline leads to something")
        if case .wentBack? = actions.first {
          #expect(changes.values == proven)
          #expect(began.map { timeout >= $0 + Self.silence } == true)
        }
      }
      let key = [Self.mode, Self.interval].randomElement(using: &random) ?? Self.mode
      switch Int.random(in: 0..<5, using: &random) {
      case 0:
        let wish = [key: values.randomElement(using: &random) ?? "off"]
        actions = changes.handle(.wished(wish, by: "a", afterRecord: record), now: now)
      case 1:
        record += 1
        let hadTrial = changes.trial != nil
        actions = changes.handle(.answered(by: "a", newestLocation: record), now: now)
        #expect(changes.trial == nil)
        if hadTrial { #expect(actions.contains(.keep)) }
      case 2:
        actions = changes.handle(.answered(by: "a", newestLocation: 0), now: now)
      case 3:
        let kept = changes.record(now: now, boot: "one", utc: Self.utc)
        var next = ServerChanges(kept, rules: changes.rules, now: now, boot: "one", utc: Self.utc)
        next.trial?.briefStarts = 0
        #expect(next.values == changes.values && next.goesBackAt == changes.goesBackAt)
        changes = next
      default: break
      }
      if changes.trial == nil { proven = changes.values }
      if let trial = changes.trial {
        #expect(changes.goesBackAt == trial.since + Self.silence)
        #expect(changes.nextTimeout.map { $0 <= trial.since + Self.silence } == true)
      }
    }
  }
}
