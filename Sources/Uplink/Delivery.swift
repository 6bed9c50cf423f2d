import Formats
import HTTPClient
import Quantities
import Records
import SystemLoop

/// Brings the log to one destination: carries out what a ``DeliveryMachine`` decides.
///
/// Belongs to the loop's thread.
public final class Delivery {
  /// Where to, and as whom.
  public struct Endpoint: Equatable, Sendable {
    public var url: String
    /// Sent as `Authorization: Bearer`; none when empty.
    public var token = ""
    /// PEM file of the authorities to trust instead of the system's.
    public var authorityFile: String?
    public init(url: String) { self.url = url }
  }

  public let name: String
  /// A new one holds from the next attempt on.
  public var endpoint: Endpoint
  /// What was decided, for those who ask; only events change it.
  public private(set) var machine: DeliveryMachine

  private let loop: EventLoop
  private let client: HTTPClient
  private unowned let log: any DeliveryLog
  private let userAgent: String
  private var timer: LoopTimer?
  private var batches: [RecordID: OverlandBatch] = [:]
  private var running: HTTPClient.Handle?
  private var events: [DeliveryMachine.Event] = []
  private var isHandling = false

  /// `log` must outlive the delivery. `version` is this program's; `seed` spreads the retries of several
  /// devices.
  public init(
    name: String, endpoint: Endpoint, settings: DeliveryMachine.Settings, loop: EventLoop, client: HTTPClient,
    log: any DeliveryLog, version: String, seed: UInt64
  ) {
    self.name = name
    self.endpoint = endpoint
    self.loop = loop
    self.client = client
    self.log = log
    userAgent = "Outrider/\(version)"
    machine = DeliveryMachine(settings: settings, seed: seed)
    timer = loop.addTimer("delivery") { [weak self] now in
      guard let self else { return }
      carryOut(machine.handleTimeout(now: now))
      handleEvents()
    }
  }

  deinit {
    if let running { client.cancel(running) }
    if let timer { loop.removeTimer(timer) }
  }

  // MARK: What happened

  /// The log can be read: begins with what waits in it.
  public func start() { handle(.started) }

  /// So many more records are in the log for good, or have got their time and can be sent.
  public func recordsDurable(count: Int) { handle(.recordsDurable(count: count)) }

  /// Sends everything now, whatever interval and back-off say.
  public func sendNow() { handle(.sendNow) }

  public func change(_ settings: DeliveryMachine.Settings) { handle(.settingsChanged(settings)) }

  /// Nil when no record waits. `size` is what was asked for.
  public func loaded(_ batch: LogBatch?, size: Int) {
    guard let batch = batch?.upToUndated else { return handle(.batchLoaded(nil)) }
    let rendered = OverlandBatch(batch.records)
    batches[batch.through] = rendered
    handle(
      .batchLoaded(
        LoadedBatch(
          through: batch.through, size: size, records: batch.records.count, features: rendered.count,
          hasMore: batch.hasMore, isBorderCommitted: batch.isBorderCommitted,
          needsBorder: batch.needsBorder)))
  }

  public func borderCommitted(through: RecordID) { handle(.borderCommitted(through: through)) }

  public func acknowledged(through: RecordID) { handle(.acknowledged(through: through)) }

  // MARK: What to do

  private func handle(_ event: DeliveryMachine.Event) {
    events.append(event)
    handleEvents()
  }

  /// One event after the other: the log may answer while an action is being carried out.
  private func handleEvents() {
    guard !isHandling else { return }
    while !events.isEmpty {
      let event = events.removeFirst()
      carryOut(machine.handle(event, now: loop.now))
    }
    if batches.count > machine.batchesInHand.count {
      let needed = machine.batchesInHand
      batches = batches.filter { needed.contains($0.key) }
    }
    timer?.arm(at: machine.nextTimeout)
  }

  private func carryOut(_ actions: [DeliveryMachine.Action]) {
    isHandling = true
    defer { isHandling = false }
    for action in actions {
      switch action {
      case .loadBatch(let after, let size): log.loadBatch(for: self, after: after, size: size)
      case .commitBorder(let through): log.commitBorder(for: self, through: through)
      case .acknowledge(let through): log.acknowledge(for: self, through: through)
      case .report(let report): log.delivery(self, reports: report)
      case .post(let batch, let attachCurrent): post(batch, attachCurrent: attachCurrent)
      case .abandonPost:
        if let running { client.cancel(running) }
        running = nil
      }
    }
  }

  private func post(_ batch: LoadedBatch, attachCurrent: Bool) {
    guard let rendered = batches[batch.through] else {
      return handle(.answered(.refused(Refusal(.configuration, reason: "the batch's content is gone"))))
    }
    let current = attachCurrent ? log.newestFix(for: self).flatMap { OverlandFeature($0) } : nil
    let attempt = PostAttempt(
      endpoint: endpoint, userAgent: userAgent, body: rendered.body(current: current),
      deadline: loop.now + machine.settings.timeout,
      keepsConnection: batch.hasMore || machine.settings.sendInterval.map { $0 < .seconds(100) } ?? false)
    perform(attempt)
  }

  private func perform(_ attempt: PostAttempt) {
    let request = attempt.request(now: loop.now)
    running = client.perform(request) { [weak self] outcome in
      guard let self else { return }
      running = nil
      switch attempt.next(after: outcome) {
      case .follow(let next): perform(next)
      case .verdict(let verdict):
        handle(.answered(verdict))
        if verdict == .accepted, case .response(let response) = outcome {
          log.delivery(self, wasAnswered: response.body)
        }
      }
    }
  }
}
