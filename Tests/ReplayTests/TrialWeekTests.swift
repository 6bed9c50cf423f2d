import Quantities
import Scheduling
import Testing

@testable import Replay
@testable import Settings

/// A week of a battery unit with a fix and a contact an hour, whose server sets a value and is then out of reach.
@Suite struct TrialWeekTests {
  /// The remote settings of a unit that is halted between its tasks: each start has another boot clock, and reads what the
  /// run before has stored.
  final class Unit: DeviceTask {
    static let key = ServerKey("main.min_time")
    /// The UTC of a moment of the week.
    private let utc: (Moment) -> Timestamp
    /// True for the rule of an earlier version: an open trial keeps the host awake.
    private let holdsHost: Bool
    /// The quality of the time after a start.
    private let quality: ClockQuality
    private(set) var changes = ServerChanges(now: .zero)
    private var stored: ServerRecord?
    private var boots = 0
    private var bootAt = Moment.zero
    private var hasContacted = false
    /// The contacts of the unit, and those with a value on trial.
    private(set) var contacts = 0
    private(set) var contactsOnTrial = 0
    private(set) var rollbacks: [ServerChanges.Reason] = []
    /// True while the server answers.
    var isReachable = false

    init(start: Timestamp, day: Int, holdsHost: Bool, quality: ClockQuality, after earlier: Unit?) {
      self.holdsHost = holdsHost
      self.quality = quality
      utc = { start + .seconds(day * 86_400) + ($0 - DayReplay.moment(0)) }
      (stored, boots) = (earlier?.stored, earlier?.boots ?? 0)
    }

    private func local(_ now: Moment) -> Moment { .zero + (now - bootAt) }
    private func global(_ moment: Moment) -> Moment { bootAt + (moment - .zero) }

    private func store(now: Moment) {
      stored = changes.record(now: local(now), boot: "\(boots)", utc: utc(now))
    }

    private func execute(_ actions: [ServerChanges.Action], now: Moment) {
      for case .rolledBack(_, _, let reason) in actions { rollbacks.append(reason) }
      store(now: now)
    }

    /// A server sets a value, and is out of reach from then on.
    func receive(_ value: String, now: Moment) {
      execute(
        changes.handle(.requested([Self.key: value], by: "a", afterRecord: 10), now: local(now)), now: now)
    }

    var nextTimeout: Moment? { changes.nextTimeout.map(global) }

    var situation: HostSituation {
      if holdsHost, !changes.trials.isEmpty { return HostSituation(inhibitor: .visitor) }
      let next = holdsHost ? changes.nextTimeout : changes.nextTask
      return HostSituation(inhibitor: nil, needs: next.map { [HostNeed(.checkIn, at: global($0))] } ?? [])
    }

    func started(now: Moment) {
      boots += 1
      (bootAt, hasContacted) = (now + .seconds(-20), false)
      // Without a clock chip the system clock goes on from the time of the shutdown.
      let system = stored.map { Timestamp(milliseconds: $0.utc_ms) } ?? utc(now)
      if let stored {
        changes = ServerChanges(stored, now: local(now), boot: "\(boots)", utc: system)
      } else {
        changes = ServerChanges(now: local(now))
      }
      _ = changes.handle(.dated(WallTime(utc(now), quality)), now: local(now))
      handleTimeout(now: now)
    }

    func handleTimeout(now: Moment) { execute(changes.handleTimeout(now: local(now)), now: now) }

    /// Sends, once after each start.
    private func contact(now: Moment) {
      guard !hasContacted else { return }
      hasContacted = true
      contacts += 1
      if !changes.trials.isEmpty { contactsOnTrial += 1 }
      let event: ServerChanges.Event =
        isReachable ? .answered(by: "a", newestLocation: 11) : .failed(by: "a")
      execute(changes.handle(event, now: local(now)), now: now)
    }

    func sleeps(now: Moment) -> String? {
      contact(now: now)
      guard !holdsHost else { return nil }
      let actions = changes.handle(.sleeping, now: local(now))
      execute(actions + changes.handle(.stopping, now: local(now)), now: now)
      return actions.contains(.changed) ? "a trial has ended" : nil
    }
  }

  static let start = Timestamp(milliseconds: 1_795_000_000_000)

  /// The charge of each day in mAh, and the units. The value of a day is received when it begins; nil for none.
  static func week(
    _ values: [String?], holdsHost: Bool = false, quality: ClockQuality = .receiver
  ) throws -> (charges: [Double], days: [Unit]) {
    let model = DeviceReplayTests.device
    let pattern = try #require(DeviceReplayTests.patterns.first)
    var replay = pattern.day.replay()
    replay.receive([MotionEdge(time: 0, isMoving: false)])
    var (charges, days): ([Double], [Unit]) = ([], [])
    for (day, value) in values.enumerated() {
      let unit = Unit(
        start: start, day: day, holdsHost: holdsHost, quality: quality, after: days.last)
      if let value { unit.receiveAtStart(value) }
      let log = replay.run(
        DeviceReplayTests.settings(check: pattern.check, ceiling: pattern.ceiling), on: model, task: unit)
      charges.append(try #require(log.device).total)
      days.append(unit)
    }
    return (charges, days)
  }

  /// A new value on every morning, with the network away for the rest of the day.
  static let mornings: [String?] = (1...7).map { "\($0)m" }

  @Test(arguments: [ClockQuality.receiver, .none])
  func aWeekWithOpenTrialsCostsAsMuchAsOneWithout(quality: ClockQuality) throws {
    let without = try Self.week(Array(repeating: nil, count: 7))
    let before = try Self.week(Self.mornings, holdsHost: true)
    let after = try Self.week(Self.mornings, quality: quality)
    print("trial: mAh a day without \(without.charges), held awake \(before.charges), now \(after.charges)")
    for (day, charge) in after.charges.enumerated() {
      #expect(abs(charge - without.charges[day]) <= 5, "day \(day): \(charge)")
    }
    #expect(before.charges.allSatisfy { $0 > 20 * without.charges[0] }, "the rule before")
    for unit in after.days {
      #expect(unit.contacts >= 22, "\(unit.contacts)")
      #expect(unit.contactsOnTrial == 3 && unit.rollbacks == [.missedContacts])
      #expect(unit.changes.values.isEmpty && unit.changes.trials.isEmpty)
    }
  }

  /// The first location under the value is acknowledged.
  @Test func aValueThatProvesItselfIsNotRolledBack() throws {
    let week = try Self.week(["5m", nil, nil], holdsHost: false)
    #expect(week.days[2].changes.values.isEmpty)
    let unit = Unit(start: Self.start, day: 0, holdsHost: false, quality: .receiver, after: nil)
    unit.isReachable = true
    unit.receiveAtStart("5m")
    let model = DeviceReplayTests.device
    var replay = DeviceReplayTests.still.replay()
    replay.receive([MotionEdge(time: 0, isMoving: false)])
    _ = replay.run(DeviceReplayTests.settings(check: 3600, ceiling: 3600), on: model, task: unit)
    #expect(unit.changes.values == [Unit.key: "5m"] && unit.rollbacks.isEmpty)
    #expect(unit.contactsOnTrial == 1)
  }
}

extension TrialWeekTests.Unit {
  /// Receives a value in a run before the day.
  func receiveAtStart(_ value: String) {
    started(now: DayReplay.moment(0))
    receive(value, now: DayReplay.moment(0))
  }
}
