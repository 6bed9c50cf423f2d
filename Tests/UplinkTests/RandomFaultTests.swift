import Quantities
import Records
import Testing
import Uplink

/// A server that fails at random, and one that fails at a record: the log and the server of one history.
@Suite struct RandomFaultTests {
  struct World {
    var machine: DeliveryMachine
    var now = Moment.zero
    var newest: Int64 = 0
    var cursor: Int64 = 0
    var boundary: Int64 = 0
    /// The held records with the time of their last change.
    var held: [Int64: (record: HeldRecord, since: Moment)] = [:]
    /// The records in the order in which the server accepted them.
    var received: [Int64] = []
    var setAside: [(id: Int64, at: Moment)] = []
    /// The refusals of records that were sent alone.
    var refusedAlone: [Int64: [Moment]] = [:]
    var requests = 0
    var fault: (Moment, ClosedRange<Int64>) -> Refusal? = { _, _ in nil }
    private var events: [DeliveryMachine.Event] = []

    init(seed: UInt64, batchSize: Int = 20, interval: Duration = .seconds(10)) {
      var settings = DeliveryMachine.Settings()
      settings.batchSize = batchSize
      settings.sendInterval = interval
      machine = DeliveryMachine(settings: settings, seed: seed)
    }

    static func status500() -> Refusal {
      var refusal = Refusal(.content, reason: "status 500")
      refusal.mayBeServer = true
      return refusal
    }

    mutating func send(_ event: DeliveryMachine.Event) {
      events.append(event)
      while !events.isEmpty { carryOut(machine.handle(events.removeFirst(), now: now)) }
    }

    /// Lets time pass with a record every `pace`.
    mutating func run(for duration: Duration, pace: Duration = .seconds(5)) {
      let end = now + duration
      var next = now + pace
      while now < end {
        let due = machine.nextTimeout.map { max($0, now) } ?? end
        if min(due, end) < next {
          now = min(due, end)
          carryOut(machine.handleTimeout(now: now))
          while !events.isEmpty { carryOut(machine.handle(events.removeFirst(), now: now)) }
        } else {
          now = next
          next = next + pace
          newest += 1
          send(.recordsDurable(count: 1))
        }
      }
    }

    /// A crash: only the log survives.
    mutating func restart(seed: UInt64) {
      machine = DeliveryMachine(settings: machine.settings, seed: seed)
      events = []
      send(
        .held(
          held.values.filter { !$0.record.isSetAside }.map { entry in
            var record = entry.record
            record.age = now - entry.since
            return record
          }, isLastChance: false))
      send(.started)
    }

    private mutating func carryOut(_ actions: [DeliveryMachine.Action]) {
      for action in actions {
        switch action {
        case .loadBatch(let request): events.append(.batchLoaded(load(request)))
        case .commitBatchBoundary(let position):
          boundary = position.through.rawValue
          events.append(.batchBoundaryCommitted(through: position.through))
        case .acknowledge(let position, let next):
          acknowledge(position)
          if let next { events.append(.batchLoaded(load(next))) }
        case .shorten(let batch, let count):
          var front = LoadedBatch(
            through: RecordID(batch.through.rawValue - Int64(batch.records - count)), size: batch.size,
            records: count, features: count, hasMore: true, boundary: .missing)
          front.from = RecordID(front.through.rawValue - Int64(count) + 1)
          events.append(.shortened(front))
        case .post(let batch, _):
          requests += 1
          let last = batch.through.rawValue
          let ids = (last - Int64(batch.records) + 1)...last
          guard let refusal = fault(now, ids) else {
            received += ids
            events.append(.answered(.accepted))
            continue
          }
          if ids.count == 1 { refusedAlone[last, default: []].append(now) }
          events.append(.answered(.refused(refusal)))
        case .report(.setAside(let id, _, _)): setAside.append((id.rawValue, now))
        case .abandonPost, .report: break
        }
      }
    }

    private mutating func acknowledge(_ position: BatchPosition) {
      switch position.held {
      case .hold(let record):
        held[record.id.rawValue] = (record, now)
      case .update(let record):
        held[record.id.rawValue] = (record, now)
        return
      case .end(let id):
        held[id.rawValue] = nil
        return
      case nil: break
      }
      cursor = max(cursor, position.through.rawValue)
      events.append(.acknowledged(through: position.through))
    }

    private mutating func load(_ request: BatchRequest) -> LoadedBatch? {
      if let id = request.held {
        guard held[id.rawValue] != nil else { return nil }
        var batch = LoadedBatch(
          through: id, size: 1, records: 1, features: 1, hasMore: false, boundary: .stored)
        batch.isHeld = true
        return batch
      }
      let start = request.after?.through.rawValue ?? cursor
      let end = min(start + Int64(request.size), newest, boundary > start ? boundary : .max)
      guard end > start else { return nil }
      let count = Int(end - start)
      if count < request.size, count <= request.largestToSend { boundary = end }
      return LoadedBatch(
        through: RecordID(end), size: request.size, records: count, features: count, hasMore: newest > end,
        boundary: end == boundary ? .stored : count == request.size ? .counted : .missing)
    }
  }

  struct Chance: Sendable, CustomTestStringConvertible {
    var percent: Int
    var seed: UInt64
    var batchSize = 20
    var isInterrupted = false
    var testDescription: String {
      "\(percent) %, \(batchSize) a batch, seed \(seed)\(isInterrupted ? ", cut connections" : "")"
    }
  }

  static let chances: [Chance] = {
    var chances: [Chance] = []
    for percent in [30, 50, 90] {
      for seed in UInt64(1)...8 { chances.append(Chance(percent: percent, seed: seed)) }
      chances.append(Chance(percent: percent, seed: 9, batchSize: 1))
      chances.append(Chance(percent: percent, seed: 10, batchSize: 200))
      chances.append(Chance(percent: percent, seed: 11, isInterrupted: true))
    }
    return chances
  }()

  /// It worked for ten minutes before, and works again after the hour.
  @Test(arguments: chances)
  func anHourOfRandomFailuresSetsNothingAsideAndKeepsTheOrder(_ chance: Chance) {
    var random = SplitMix64(seed: chance.seed)
    var world = World(seed: chance.seed, batchSize: chance.batchSize)
    world.fault = { now, _ in
      guard now >= .zero + .seconds(600), now < .zero + .seconds(4200),
        Int.random(in: 0..<100, using: &random) < chance.percent
      else { return nil }
      guard chance.isInterrupted else { return World.status500() }
      var refusal = Refusal(.outcomeUnknown, reason: "connection closed")
      refusal.mayBeServer = true
      return refusal
    }
    world.send(.started)
    world.run(for: .seconds(600))
    world.run(for: .seconds(3600))
    #expect(world.setAside.isEmpty && world.held.isEmpty)
    world.run(for: .seconds(3600))
    #expect(world.setAside.isEmpty && world.held.isEmpty)
    #expect(world.received == world.received.sorted(), "the order is kept")
    #expect(world.received.count >= Int(world.newest) - 25)
    #expect(Set(world.received).count == world.received.count)
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func aServerThatIsDownForHoursLosesNothingAndIsNotFlooded(seed: UInt64) {
    var world = World(seed: seed)
    world.fault = { now, _ in
      now >= .zero + .seconds(600) && now < .zero + .seconds(20_000) ? World.status500() : nil
    }
    world.send(.started)
    world.run(for: .seconds(6000))
    let before = world.requests
    world.run(for: .seconds(3600))
    #expect(world.requests - before < 400)
    world.run(for: .seconds(14_000))
    #expect(world.setAside.isEmpty && world.held.isEmpty)
    #expect(world.received == world.received.sorted() && world.received.count >= Int(world.newest) - 25)
  }

  struct Poison: Sendable, CustomTestStringConvertible {
    var ids: Set<Int64>
    var batchSize = 20
    var restarts = false
    var isInterrupted = false
    var testDescription: String {
      "\(ids.sorted()), \(batchSize) a batch\(restarts ? ", restarts" : "")\(isInterrupted ? ", cut" : "")"
    }
  }

  static let poisons = [
    Poison(ids: [47]), Poison(ids: [41]), Poison(ids: [60, 61, 62]), Poison(ids: [47, 333]),
    Poison(ids: [30], batchSize: 1), Poison(ids: [47], restarts: true),
    Poison(ids: [50], isInterrupted: true),
  ]

  @Test(arguments: poisons)
  func aRecordIsSetAsideAfterHoursWithEvidenceAndTheOthersAreDeliveredMeanwhile(_ poison: Poison) throws {
    var world = World(seed: 3, batchSize: poison.batchSize)
    world.newest = 100
    world.fault = { _, ids in
      guard poison.ids.contains(where: ids.contains) else { return nil }
      guard poison.isInterrupted else { return World.status500() }
      var refusal = Refusal(.outcomeUnknown, reason: "connection closed")
      refusal.mayBeServer = true
      return refusal
    }
    world.send(.started)
    world.run(for: .seconds(2400))
    // The others are delivered, and the queue has the held records.
    let soon = poison.ids.filter { $0 <= world.cursor }
    #expect(world.received.count >= Int(world.newest) - soon.count - 25)
    #expect(Set(world.held.keys) == soon && world.setAside.isEmpty)
    for hour in 0..<14 {
      if poison.restarts, hour < 4 { world.restart(seed: UInt64(hour)) }
      world.run(for: .seconds(3600))
    }
    #expect(Set(world.setAside.map(\.id)) == poison.ids && world.setAside.count == poison.ids.count)
    #expect(Set(world.received).count == world.received.count)
    #expect(Set(world.received).isDisjoint(with: poison.ids))
    #expect(world.received.count >= Int(world.newest) - poison.ids.count - 25)
    for (id, at) in world.setAside {
      let attempts = try #require(world.refusedAlone[id])
      let first = try #require(attempts.first)
      #expect(at - first > .seconds(4 * 3600) && at - first < .seconds(8 * 3600), "\(at - first)")
      let late = attempts.suffix(HeldAttempts.count)
      let pauses = zip(late, late.dropFirst()).map { $1 - $0 }
      #expect(late.count >= 4 && zip(pauses, pauses.dropFirst()).allSatisfy { $1 > $0 }, "\(pauses)")
    }
    // One more attempt before retention deletes it.
    let id = try #require(poison.ids.min())
    let before = world.refusedAlone[id]?.count ?? 0
    world.send(.held([try #require(world.held[id]?.record)], isLastChance: true))
    world.run(for: .seconds(60))
    #expect(world.refusedAlone[id]?.count == before + 1 && world.held[id] == nil)
  }

  private enum HeldAttempts { static let count = 7 }

  @Test func aHeldRecordThatIsAcceptedIsDeliveredAndLeavesTheQueue() {
    var world = World(seed: 5)
    world.newest = 100
    world.fault = { now, ids in ids.contains(47) && now < .zero + .seconds(5000) ? World.status500() : nil }
    world.send(.started)
    world.run(for: .seconds(4000))
    #expect(world.held.keys.contains(47))
    world.run(for: .seconds(6000))
    #expect(world.held.isEmpty && world.setAside.isEmpty && world.received.contains(47))
    #expect(Set(world.received).count == world.received.count)
  }

  /// While the server fails at random, the refusals of a held record are no evidence.
  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func randomFailuresAreNoEvidenceAgainstAHeldRecord(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var world = World(seed: seed)
    world.newest = 100
    world.fault = { now, ids in
      if now < .zero + .seconds(1800) { return ids.contains(47) ? World.status500() : nil }
      return now < .zero + .seconds(40_000) && Int.random(in: 0..<10, using: &random) < 9
        ? World.status500() : nil
    }
    world.send(.started)
    world.run(for: .seconds(1800))
    #expect(world.held.keys.contains(47))
    world.run(for: .seconds(45_000))
    #expect(world.setAside.isEmpty && world.held.isEmpty)
    #expect(world.received.contains(47))
  }
}
