import EventLoop
import Formats
import HTTPClient
import Quantities
import Records

/// Sends batches over HTTP, in any format of ``HTTPEndpoint``.
public final class HTTPTransport: BatchTransport {
  /// The destination. A new value takes effect at the next attempt.
  public var endpoint: HTTPEndpoint

  private let loop: EventLoop
  private let client: HTTPClient
  private let userAgent: String
  private let commands: CommandChannel?
  private var running: HTTPClient.Handle?
  /// The number of attempts. An abandoned one sends no further message.
  private var attempts: UInt64 = 0
  public private(set) var lastStatus: Int?

  /// Creates a transport. `version` is the version of the program, for the header `User-Agent`. `commands` gets the
  /// responses in the OwnTracks format; nil if the server may not send commands.
  public init(
    _ endpoint: HTTPEndpoint, loop: EventLoop, client: HTTPClient, version: String,
    commands: CommandChannel? = nil
  ) {
    self.endpoint = endpoint
    self.commands = commands
    self.loop = loop
    self.client = client
    userAgent = "Outrider/\(version)"
  }

  deinit { abandon() }

  public var isNewestOnly: Bool { endpoint.isNewestOnly }

  public var events: EventSelection { endpoint.events }

  public var cut: BatchCut {
    var cut = BatchCut(exempt: Set(endpoint.retainedProfiles.keys))
    if case .overland(let profile) = endpoint.form { cut.interval = profile.bucket }
    return cut
  }

  public func rendered(_ records: [StoredRecord], of range: BatchRange) -> RenderedBatch {
    switch endpoint.form {
    case .overland(let today):
      let profile = endpoint.retainedProfiles[range.through] ?? today
      let ordered = profile.bucket == nil ? records : records.inOrderOfTime
      let batch = OverlandBatch(ordered, of: range, for: profile)
      let last = ordered.last(where: \.isLocation)?.record
      return RenderedBatch(count: batch.count, bytes: batch.locations, records: last.map { [$0] } ?? [])
    case .ownTracks(let trackerID, let deviceID):
      return RenderedBatch(
        ownTracks: records, isNewestOnly: isNewestOnly, trackerID: trackerID, deviceID: deviceID,
        isAnswer: commands?.isAnswer)
    case .query(_, let unit): return one(of: records) { QueryText.text($0, speedUnit: unit) }
    case .traccar(_, let unit, let deviceID):
      return one(of: records) {
        QueryText.text($0, speedUnit: unit, forTraccar: true) ?? TraccarEvent.text($0, deviceID: deviceID)
      }
    }
  }

  /// Renders the last record that the format can represent: these formats carry one record per request.
  private func one(of records: [StoredRecord], _ render: (LogRecord) -> [UInt8]?) -> RenderedBatch {
    for stored in records.reversed() {
      guard let bytes = render(stored.record) else { continue }
      return RenderedBatch(count: 1, bytes: bytes, records: [stored.record])
    }
    return RenderedBatch(count: 0, bytes: [])
  }

  public func send(
    _ batch: OutgoingBatch, completion: @escaping (Verdict, _ answer: [UInt8]) -> Void
  ) {
    attempts &+= 1
    guard batch.batch.messages.count > 1 else {
      return perform(PostAttempt(endpoint: endpoint, userAgent: userAgent, batch: batch), completion)
    }
    send(batch, from: 0, allowing: batch.deadline - loop.now, completion)
  }

  /// Sends the messages of a batch one after the other, each within the time `timeout`. The first failure ends the
  /// attempt.
  private func send(
    _ batch: OutgoingBatch, from index: Int, allowing timeout: Duration,
    _ completion: @escaping (Verdict, [UInt8]) -> Void
  ) {
    let attempt = attempts
    var one = batch
    one.batch = batch.batch.part(index..<index + 1)
    one.deadline = loop.now + timeout
    let isLast = index + 1 == batch.batch.messages.count
    one.keepsConnection = one.keepsConnection || !isLast
    perform(PostAttempt(endpoint: endpoint, userAgent: userAgent, batch: one)) {
      [weak self] verdict, answer in
      guard !isLast, verdict.isSuccess else { return completion(verdict, answer) }
      batch.onProgress(index + 1)
      guard let self, attempt == attempts else { return }
      send(batch, from: index + 1, allowing: timeout, completion)
    }
  }

  private func perform(_ attempt: PostAttempt, _ completion: @escaping (Verdict, [UInt8]) -> Void) {
    running = client.perform(attempt.request(now: loop.now)) { [weak self] outcome in
      guard let self else { return }
      running = nil
      switch attempt.next(after: outcome) {
      case .follow(let next): perform(next, completion)
      case .verdict(let verdict):
        var answer: [UInt8] = []
        lastStatus = nil
        if case .response(let response) = outcome {
          answer = response.body
          lastStatus = response.status
        }
        if verdict.isSuccess, case .ownTracks = endpoint.form { commands?.handle(answer) }
        completion(verdict, answer)
      }
    }
  }

  public func abandon() {
    attempts &+= 1
    if let running { client.cancel(running) }
    running = nil
  }

  public func stop() { abandon() }
}

extension [StoredRecord] {
  /// The records sorted by time. Records of the same time keep the order of the log.
  var inOrderOfTime: [StoredRecord] {
    sorted { a, b in
      guard let first = a.record.time, let second = b.record.time, first != second else { return a.id < b.id }
      return first < second
    }
  }
}
