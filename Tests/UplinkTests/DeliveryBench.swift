import Quantities
import Records
import Uplink

/// Drives a delivery machine with a simulated clock, log and server, and records its actions.
struct DeliveryBench {
  enum Reply { case accept, refuse(Refusal), silence }

  var now = Moment.zero
  var machine: DeliveryMachine
  /// The log: records 1...newest, delivered up to `acknowledged`.
  var newest: Int64 = 0
  var acknowledged: Int64 = 0
  var boundary: Int64 = 0
  /// The server's replies to the next requests; afterwards it accepts.
  var replies: [Reply] = []
  /// Records that the server rejects, in any batch.
  var poison: Set<Int64> = []
  var setAside: [Int64] = []
  /// False if the test completes commits itself.
  var commits = true
  var log: [String] = []
  /// The number of requests that the machine made of the log.
  private(set) var requests = 0
  private(set) var posted: [LoadedBatch] = []
  private var answers: [DeliveryMachine.Event] = []

  init(_ change: (inout DeliveryMachine.Settings) -> Void = { _ in }, seed: UInt64 = 1) {
    var settings = DeliveryMachine.Settings()
    settings.batchSize = 10
    change(&settings)
    machine = DeliveryMachine(settings: settings, seed: seed)
  }

  static let down = Reply.refuse(Refusal(.unreachable, reason: "down"))

  mutating func record(_ count: Int64) {
    newest += count
    send(.recordsDurable(count: Int(count)))
  }

  mutating func send(_ event: DeliveryMachine.Event) {
    answers.append(event)
    while !answers.isEmpty {
      let event = answers.removeFirst()
      carryOut(machine.handle(event, now: now))
    }
  }

  mutating func advance(_ step: Duration) {
    let end = now + step
    while let due = machine.nextTimeout, due <= end {
      now = max(now, due)
      carryOut(machine.handleTimeout(now: now))
      while !answers.isEmpty { carryOut(machine.handle(answers.removeFirst(), now: now)) }
    }
    now = end
  }

  /// Simulates a restart of the program: only the state of the log survives.
  mutating func restart() {
    machine = DeliveryMachine(settings: machine.settings, seed: 2)
    answers = []
    send(.started)
  }

  /// Simulates changed settings of the destination: another machine continues.
  mutating func succeed() {
    machine = DeliveryMachine(settings: machine.settings, seed: 2, past: machine.past)
    answers = []
    send(.started)
  }

  /// A request without records.
  private static let checkIn = LoadedBatch(
    position: BatchPosition(through: .zero, isLate: false), size: 10, records: 0, features: 1, hasMore: false,
    boundary: .stored)

  mutating func forgetLog() { log = [] }

  private mutating func carryOut(_ actions: [DeliveryMachine.Action]) {
    for action in actions {
      switch action {
      case .loadBatch, .commitBatchBoundary, .acknowledge: requests += 1
      case .post, .shorten, .abandonPost, .report: break
      }
      switch action {
      case .loadBatch(let request):
        let isCheckIn = machine.isCheckInDue(now: now)
        answers.append(.batchLoaded(load(request) ?? (isCheckIn ? Self.checkIn : nil)))
      case .commitBatchBoundary(let position):
        trace("border \(position.through.rawValue)")
        guard commits else { continue }
        boundary = position.through.rawValue
        answers.append(.batchBoundaryCommitted(through: position.through))
      case .acknowledge(let position, let next):
        trace("acknowledge \(position.through.rawValue)")
        if commits {
          acknowledged = position.through.rawValue
          answers.append(.acknowledged(through: position.through))
        }
        if let next { answers.append(.batchLoaded(load(next))) }
      case .post(let batch, let attachCurrent):
        let last = batch.through.rawValue
        guard batch.records > 0 else {
          trace("post nothing")
          if case .refuse(let refusal)? = replies.first {
            replies.removeFirst()
            answers.append(.answered(.refused(refusal)))
          } else {
            answers.append(.answered(.accepted))
          }
          continue
        }
        trace("post \(last - Int64(batch.records) + 1)-\(last)\(attachCurrent ? " current" : "")")
        posted.append(batch)
        if !poison.isDisjoint(with: (last - Int64(batch.records) + 1)...last) {
          answers.append(.answered(.refused(Refusal(.content, reason: "poison"))))
          continue
        }
        switch replies.isEmpty ? .accept : replies.removeFirst() {
        case .accept: answers.append(.answered(.accepted))
        case .refuse(let refusal): answers.append(.answered(.refused(refusal)))
        case .silence: break
        }
      case .abandonPost: trace("abandon")
      case .shorten(let batch, let count):
        let through = batch.through.rawValue - Int64(batch.records - count)
        answers.append(
          .shortened(
            LoadedBatch(
              through: RecordID(through), size: batch.size, records: count, features: count, hasMore: true,
              boundary: .missing)))
      case .report(.setAside(let id, _, _)):
        setAside.append(id.rawValue)
        trace("set aside \(id.rawValue)")
      case .report(.unconfirmed(let reason)): trace("odd: \(reason)")
      case .report(.failing(let refusal, let isRetried)):
        trace("failing: \(refusal.reason)\(isRetried ? "" : ", not retried")")
      case .report(.recovered(let failures)): trace("recovered after \(failures)")
      }
    }
  }

  private mutating func trace(_ text: String) {
    log.append("\(now.nanoseconds / 1_000_000_000)s \(text)")
  }

  private mutating func load(_ request: BatchRequest) -> LoadedBatch? {
    let start = request.after?.through.rawValue ?? acknowledged
    let end = min(start + Int64(request.size), newest, boundary > start ? boundary : .max)
    guard end > start else { return nil }
    let count = Int(end - start)
    if commits, count < request.size, count <= request.largestToSend, end != boundary {
      trace("border \(end)")
      boundary = end
    }
    return LoadedBatch(
      through: RecordID(end), size: request.size, records: count, features: count, hasMore: newest > end,
      boundary: end == boundary ? .stored : count == request.size ? .counted : .missing)
  }
}

extension LoadedBatch {
  /// A batch of records that were dated when they were written.
  init(
    through: RecordID, size: Int, records: Int, features: Int, hasMore: Bool,
    boundary: Batch.Boundary = .counted
  ) {
    self.init(
      position: BatchPosition(through: through, isLate: false), size: size, records: records,
      features: features,
      hasMore: hasMore, boundary: boundary)
  }
}
