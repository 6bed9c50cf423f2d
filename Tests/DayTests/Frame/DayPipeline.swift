import DaySupport
import Formats
import Quantities
import Records
import Store

import Uplink

/// One destination of a simulated day: its delivery state machine between the log and a server.
struct DayPipeline {
  /// Requests of a pipeline to the day.
  enum Request {
    case job(StoreJob)
    case event(EventRecord)
  }

  private struct Prepared {
    var batch: Batch
    var rendered: OverlandBatch
  }

  let server: DayServer
  private(set) var machine: DeliveryMachine
  private(set) var reports: [DeliveryReport] = []
  private var batches: [RecordID: Prepared] = [:]
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
    handle(.batchLoaded(stored.map { prepare($0, size: requestedSize) }), now: now)
  }

  mutating func acknowledged(_ through: RecordID, now: Moment) -> [Request] {
    handle(.acknowledged(through: through), now: now)
  }

  private mutating func prepare(_ batch: Batch, size: Int) -> LoadedBatch {
    let rendered = OverlandBatch(batch.records, for: .overland)
    batches[batch.through] = Prepared(batch: batch, rendered: rendered)
    return LoadedBatch(
      position: batch.position, size: size, records: batch.records.count, features: rendered.count,
      hasMore: batch.hasMore, boundary: batch.boundary)
  }

  private mutating func carryOut(_ actions: [DeliveryMachine.Action], now: Moment) -> [Request] {
    var requests: [Request] = []
    for action in actions {
      switch action {
      case .loadBatch(let request):
        requests.append(.job(.batch(destination: server.name, completed(request))))
      case .commitBatchBoundary(let position):
        requests.append(
          .job(
            .commitBatchBoundary(
              destination: server.name, through: position.through, late: position.isLate)))
      case .acknowledge(let position, let next):
        let size = machine.batchSize
        requests.append(
          .job(
            .acknowledge(
              destination: server.name, through: position.through, late: position.isLate,
              newBatchSize: size == storedSize ? nil : size, next: next.map { completed($0) })))
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

  private mutating func completed(_ request: BatchRequest) -> BatchRequest {
    requestedSize = request.size
    var request = request
    request.cut = BatchCut()
    return request
  }

  private mutating func shorten(_ batch: LoadedBatch, to count: Int, now: Moment) -> [Request] {
    guard let front = batches[batch.through]?.batch.prefix(count, hasMore: true) else { return [] }
    let loaded = prepare(front, size: batch.size)
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
