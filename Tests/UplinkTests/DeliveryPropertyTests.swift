import Quantities
import Records
import Testing
import Uplink

/// The promises of the machine hold for any order of results, commits, restarts and settings.
@Suite struct DeliveryPropertyTests {
  /// The log and server of one random history; records broken promises.
  struct World {
    var machine: DeliveryMachine
    var now = Moment.zero
    var newest: Int64 = 0
    /// The state on disk.
    var acknowledged: Int64 = 0
    var boundary: Int64 = 0
    /// The requested writes, in order.
    var commits: [(isBoundary: Bool, through: Int64)] = []
    var pendingLoad: BatchRequest?
    /// The number of writes that were requested before the load.
    var commitsBeforeLoad = 0
    var isPosting = false
    /// The boundaries of the batches at the first request, by their first record.
    var sent: [Int64: Int64] = [:]
    /// The batches accepted in this run whose acknowledgement is not on disk.
    var acceptedEnds: [Int64] = []
    var delivered: Set<Int64> = []
    var posting: LoadedBatch?
    var problems: [String] = []
    /// Records that the server rejects, in any batch.
    var poison: Set<Int64> = []
    var setAside: Set<Int64> = []

    var shortened: [LoadedBatch] = []

    mutating func handle(_ event: DeliveryMachine.Event) {
      carryOut(machine.handle(event, now: now))
      while !shortened.isEmpty { carryOut(machine.handle(.shortened(shortened.removeFirst()), now: now)) }
    }

    mutating func carryOut(_ actions: [DeliveryMachine.Action]) {
      for action in actions {
        switch action {
        case .loadBatch(let next): request(next)
        case .commitBatchBoundary(let position): commits.append((true, position.through.rawValue))
        case .acknowledge(let position, let next):
          commits.append((false, position.through.rawValue))
          if let next { request(next) }
        case .post(let batch, _): post(batch)
        case .abandonPost: posting = nil
        case .shorten(let batch, let count):
          let through = batch.through.rawValue - Int64(batch.records - count)
          shortened.append(
            LoadedBatch(
              through: RecordID(through), size: batch.size, records: count, features: count, hasMore: true,
              boundary: .missing))
        case .report(.setAside(let id, _, _)): setAside.insert(id.rawValue)
        case .report: break
        }
      }
    }

    mutating func request(_ request: BatchRequest) {
      if pendingLoad != nil { problems.append("two loads at a time") }
      (pendingLoad, commitsBeforeLoad) = (request, commits.count)
    }

    mutating func post(_ batch: LoadedBatch) {
      if posting != nil { problems.append("two requests at a time") }
      posting = batch
      let last = batch.through.rawValue
      let first = last - Int64(batch.records) + 1
      guard poison.isEmpty else { return }
      if let end = sent[first], end != last {
        problems.append("\(first)-\(last) was sent as \(first)-\(end)")
      }
      sent[first] = last
      let expected = acceptedEnds.last ?? acknowledged
      if first != expected + 1 { problems.append("\(first)-\(last) follows \(expected)") }
      if acceptedEnds.filter({ $0 > acknowledged }).count > 1 { problems.append("\(first) sent too early") }
    }

    mutating func load() {
      guard let request = pendingLoad else { return }
      // The log executes its jobs in order.
      while commitsBeforeLoad > 0 { commit() }
      pendingLoad = nil
      let after = request.after?.through.rawValue ?? acknowledged
      let end = min(after + Int64(request.size), newest, boundary > after ? boundary : .max)
      guard end > after else { return handle(.batchLoaded(nil)) }
      let count = Int(end - after)
      if count < request.size, count <= request.largestToSend { boundary = end }
      handle(
        .batchLoaded(
          LoadedBatch(
            through: RecordID(end), size: request.size, records: count, features: count,
            hasMore: newest > end,
            boundary: end == boundary ? .stored : count == request.size ? .counted : .missing)))
    }

    mutating func commit() {
      guard !commits.isEmpty else { return }
      let (isBoundary, through) = commits.removeFirst()
      commitsBeforeLoad = max(commitsBeforeLoad - 1, 0)
      if isBoundary {
        boundary = poison.isEmpty ? max(boundary, through) : through
        handle(.batchBoundaryCommitted(through: RecordID(through)))
      } else {
        if through <= acknowledged { problems.append("\(through) acknowledged after \(acknowledged)") }
        acknowledged = through
        handle(.acknowledged(through: RecordID(through)))
      }
    }

    mutating func answer(_ isAccepted: Bool) {
      guard let batch = posting else { return }
      posting = nil
      let ids = (batch.through.rawValue - Int64(batch.records) + 1)...batch.through.rawValue
      guard isAccepted else { return handle(.answered(.refused(Refusal(.busy, reason: "no")))) }
      guard poison.isDisjoint(with: ids) else {
        return handle(.answered(.refused(Refusal(.content, reason: "poison"))))
      }
      acceptedEnds.append(batch.through.rawValue)
      delivered.formUnion(ids)
      handle(.answered(.accepted))
    }

    mutating func restart(seed: UInt64) {
      machine = DeliveryMachine(settings: machine.settings, seed: seed)
      commits = []
      (pendingLoad, commitsBeforeLoad) = (nil, 0)
      posting = nil
      shortened = []
      acceptedEnds = []
      handle(.started)
    }

    mutating func advance(_ duration: Duration) {
      now = now + duration
      carryOut(machine.handleTimeout(now: now))
      while !shortened.isEmpty { carryOut(machine.handle(.shortened(shortened.removeFirst()), now: now)) }
    }
  }

  @Test(arguments: 0..<200)
  func everyRecordIsDeliveredInOrderAndNoBatchChanges(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var settings = DeliveryMachine.Settings()
    settings.batchSize = 5
    settings.sendInterval = .seconds(10)
    var world = World(machine: DeliveryMachine(settings: settings, seed: seed))
    world.handle(.started)
    for _ in 0..<600 where world.problems.isEmpty {
      switch Int.random(in: 0..<100, using: &random) {
      case 0..<25:
        let count = Int64.random(in: 1...7, using: &random)
        world.newest += count
        world.handle(.recordsDurable(count: Int(count)))
      case 25..<45: world.load()
      case 45..<65: world.commit()
      case 65..<80: world.answer(Bool.random(using: &random))
      case 80..<93: world.advance(.milliseconds(Int64.random(in: 0...20_000, using: &random)))
      case 93..<95: world.handle(.sendNow)
      case 95..<97:
        if seed.isMultiple(of: 2) { settings.batchSize = Int.random(in: 3...6, using: &random) }
        settings.sendInterval = Bool.random(using: &random) ? .seconds(10) : nil
        world.handle(.settingsChanged(settings))
      // Two changes of the size around a crash can move the boundary of a batch whose acknowledgement was lost.
      default: if !seed.isMultiple(of: 2) { world.restart(seed: seed) }
      }
    }
    settings.sendInterval = .seconds(10)
    world.handle(.settingsChanged(settings))
    for _ in 0..<2000 where world.acknowledged < world.newest && world.problems.isEmpty {
      world.load()
      world.commit()
      world.answer(true)
      world.advance(.seconds(5))
    }
    #expect(world.problems.isEmpty)
    #expect(world.acknowledged == world.newest)
    #expect(world.delivered.count == Int(world.newest))
  }

  @Test(arguments: 0..<200)
  func exactlyTheRejectedRecordsAreSetAside(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var settings = DeliveryMachine.Settings()
    settings.batchSize = Int.random(in: 1...40, using: &random)
    settings.sendInterval = .seconds(10)
    var world = World(machine: DeliveryMachine(settings: settings, seed: seed))
    world.newest = Int64.random(in: 50...300, using: &random)
    for _ in 0..<Int.random(in: 1...6, using: &random) {
      world.poison.insert(Int64.random(in: 1...world.newest - 1, using: &random))
    }
    world.handle(.started)
    for step in 0..<6000 where world.acknowledged < world.newest && world.problems.isEmpty {
      world.load()
      world.commit()
      world.answer(step > 300 || Int.random(in: 0..<4, using: &random) > 0)
      world.advance(.seconds(step.isMultiple(of: 3) ? 600 : 1))
      if step < 300, Int.random(in: 0..<60, using: &random) == 0 { world.restart(seed: seed) }
    }
    #expect(world.problems.isEmpty)
    #expect(world.acknowledged == world.newest)
    #expect(world.setAside == world.poison)
    #expect(world.delivered.count == Int(world.newest) - world.poison.count)
  }
}
