import DaySupport
import Formats
import Quantities
import Records
import Store

@testable import Uplink

/// One destination of a simulated day: its delivery state machine between the log and a server.
struct DayPipeline {
  /// Requests of a pipeline to the day.
  enum Request {
    case job(StoreJob)
    case event(EventRecord)
  }

  private struct Prepared {
    var batch: Batch
    var isLate: Bool
    var rendered: OverlandBatch
  }

  let server: DayServer
  private(set) var machine: DeliveryMachine
  private(set) var reports: [DeliveryReport] = []
  private var batches: [RecordID: Prepared] = [:]
  private var inProgress: [RecordID: Bool] = [:]
  private var requestedSize = 0
  private var storedSize: Int?
  private var answer: (at: Moment, verdict: Verdict)?

  init(_ server: DayServer, settings: DeliveryMachine.Settings, seed: UInt64) {
    self.server = server
    machine = DeliveryMachine(settings: settings, seed: seed)
  }

  var nextTimeout: Moment? { earliest(answer?.at, machine.nextTimeout) }

  mutating func handle(_ event: DeliveryMachine.Event, now: Moment) -> [Request] {
    carryOut(machine.handle(event, now: now), now: now)
  }

  /// Handles the earliest deadline.
  mutating func advance(now: Moment) -> [Request] {
    if let due = answer, due.at <= now, due.at <= machine.nextTimeout ?? due.at {
      answer = nil
      return handle(.answered(due.verdict), now: due.at)
    }
    guard let due = machine.nextTimeout, due <= now else { return [] }
    return carryOut(machine.handleTimeout(now: due), now: due)
  }

  mutating func loaded(_ stored: Batch?, now: Moment) -> [Request] {
    guard let stored else { return handle(.batchLoaded(nil), now: now) }
    inProgress[stored.through] = stored.isLate
    guard let batch = stored.upToUndated else { return handle(.batchLoaded(nil), now: now) }
    return handle(.batchLoaded(prepare(batch, isLate: stored.isLate, size: requestedSize)), now: now)
  }

  mutating func acknowledged(_ through: RecordID, now: Moment) -> [Request] {
    inProgress.removeValue(forKey: through)
    return handle(.acknowledged(through: through), now: now)
  }

  private mutating func prepare(_ batch: Batch, isLate: Bool, size: Int) -> LoadedBatch {
    let rendered = OverlandBatch(batch.records, for: .overland)
    batches[batch.through] = Prepared(batch: batch, isLate: isLate, rendered: rendered)
    return LoadedBatch(
      through: batch.through, size: size, records: batch.records.count, features: rendered.count,
      hasMore: batch.hasMore, isBatchBoundaryCommitted: batch.isBoundaryStored,
      needsBatchBoundary: batch.needsBoundary)
  }

  private mutating func carryOut(_ actions: [DeliveryMachine.Action], now: Moment) -> [Request] {
    var requests: [Request] = []
    for action in actions {
      switch action {
      case .loadBatch(let after, let size):
        requestedSize = size
        let position = after.flatMap { through in
          inProgress[through].map { BatchPosition(through: through, isLate: $0) }
        }
        requests.append(.job(.batch(destination: server.name, after: position, size: size)))
      case .commitBatchBoundary(let through):
        requests.append(
          .job(
            .commitBatchBoundary(
              destination: server.name, through: through, late: inProgress[through] ?? false)))
      case .acknowledge(let through):
        let size = machine.batchSize
        requests.append(
          .job(
            .acknowledge(
              destination: server.name, through: through, late: inProgress[through] ?? false,
              newBatchSize: size == storedSize ? nil : size)))
        storedSize = size
      case .shorten(let batch, let count): requests += shorten(batch, to: count, now: now)
      case .post(let batch, _): post(batch, now: now)
      case .abandonPost: answer = nil
      case .report(let report):
        reports.append(report)
        requests.append(.event(EventRecord(report, of: server.name)))
      }
    }
    let needed = machine.batchesInProgress
    if batches.count > needed.count + 2 { batches = batches.filter { needed.contains($0.key) } }
    return requests
  }

  private mutating func shorten(_ batch: LoadedBatch, to count: Int, now: Moment) -> [Request] {
    guard let whole = batches[batch.through], let last = whole.batch.records.prefix(count).last else {
      return []
    }
    inProgress[last.id] = whole.isLate
    let front = whole.batch.prefix(count, hasMore: true)
    let loaded = prepare(front, isLate: whole.isLate, size: batch.size)
    return handle(.shortened(loaded), now: now)
  }

  private mutating func post(_ batch: LoadedBatch, now: Moment) {
    guard let rendered = batches[batch.through]?.rendered else {
      let gone = Refusal(.configuration, reason: "internal error, the content of the batch is missing")
      answer = (now, .refused(gone))
      return
    }
    let reply = server.take(rendered.locations, now: now)
    let timeout = machine.settings.timeout
    answer =
      reply.after <= timeout
      ? (now + reply.after, ResponseEvaluator.evaluate(reply.outcome, server: "example.org"))
      : (
        now + timeout,
        ResponseEvaluator.evaluate(
          .failure(.timedOut(origin: "https://example.org", after: timeout)), server: "example.org")
      )
  }
}
