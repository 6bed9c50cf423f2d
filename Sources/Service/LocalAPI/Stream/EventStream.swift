import EventLoop
import HTTPServer
import Quantities

/// The messages of `GET /stream` and its clients.
///
/// Each message is rendered once for all clients. Without a client nothing is rendered, and no timer is armed. A client
/// first gets the status, then the events after its `Last-Event-ID`, then what is published.
public final class EventStream {
  /// Handlers of the logger.
  public struct Outputs {
    /// Called when ``EventStream/hasClients``, ``EventStream/wantsSky``, ``EventStream/wantsRaw`` or
    /// ``EventStream/wantsLive`` may have changed, in a later turn of the loop.
    public var clientsChanged: () -> Void = {}
  }

  /// What a client requests.
  struct Request {
    var topics: StreamTopics = []
    /// True if every epoch is to be sent at once for ``EventStream/liveTime``.
    var isLive = false
    /// The ID of the last event that the client has; nil for a new client.
    var lastEvent: Int64?
  }

  /// The sources of what a client gets before the published messages.
  struct Sources {
    /// Returns the JSON of the present status; nil if the logger ends.
    var status: () -> [UInt8]?
    /// Returns the events after an ID, to be read in steps; nil if the log cannot be read.
    var events: (Int64) -> EventSteps?
  }

  /// One client, until the library releases its response.
  private final class Client {
    let slot: StreamBacklog.Slot
    let sources: Sources
    let liveUntil: Moment?
    weak var slices: HTTPSlices?
    weak var stream: EventStream?
    /// The last time when something was sent.
    var lastTraffic: Moment
    var needsStatus = true
    var needsComment = false
    /// The ID after which events are read from the log before messages are sent.
    var readsAfter: Int64?
    var steps: EventSteps?
    var stepTurn: UInt64?

    init(_ slot: StreamBacklog.Slot, _ request: Request, _ sources: Sources, now: Moment) {
      self.slot = slot
      self.sources = sources
      liveUntil = request.isLive ? now + EventStream.liveTime : nil
      readsAfter = request.lastEvent
      lastTraffic = now
    }

    deinit { stream?.remove(slot) }
  }

  private struct Reference {
    weak var client: Client?
  }

  /// The time for which `?live=1` requests every epoch at once.
  public static let liveTime = Duration.seconds(120)
  /// The time without traffic after which a wake-up of another cause sends a comment.
  private static let quietTime = Duration.seconds(25)
  /// The time after which a comment is sent in any case: proxies close a connection that is silent for 60 s.
  private static let longestQuietTime = Duration.seconds(55)
  /// A line that clients ignore.
  private static let comment = Array(":\n\n".utf8)
  /// The pause before a browser connects again.
  private static let greeting = Array("retry: 5000\n\n".utf8)

  public var outputs = Outputs()
  private let loop: EventLoop
  private var backlog = StreamBacklog()
  private var clients: [StreamBacklog.Slot: Reference] = [:]
  private var timer: LoopTimer?
  private var isEnding = false
  private var hasChange = false

  init(loop: EventLoop) { self.loop = loop }

  deinit {
    if let timer { loop.removeTimer(timer) }
  }

  /// True if at least one client is connected. Without one, messages need not be rendered.
  public var hasClients: Bool { !backlog.isEmpty }
  /// True if a client requests satellites (`?sky=1`).
  public var wantsSky: Bool { backlog.topics.contains(.sky) }
  /// True if a client requests the receiver's lines (`?raw=1`).
  public var wantsRaw: Bool { backlog.topics.contains(.raw) }
  /// True if a client requests every epoch at once (`?live=1`), for two minutes after its connection.
  public var wantsLive: Bool {
    clients.values.contains { $0.client?.liveUntil.map { loop.now < $0 } ?? false }
  }

  /// True if the stream will wake the loop: always false without clients.
  public var hasDeadline: Bool { timer?.isArmed ?? false }

  /// Sends a message to all clients that requested it. Without clients this has no effect.
  public func publish(_ event: StreamEvent) {
    guard hasClients else { return }
    for slot in backlog.add(event) { clients[slot]?.client?.slices?.resume() }
  }

  /// Ends all responses after the messages so far.
  func end() {
    isEnding = true
    for reference in clients.values { reference.client?.slices?.resume() }
  }

  /// Adds a client and returns its response; nil if there are too many.
  func open(_ request: Request, _ sources: Sources) -> HTTPResponse? {
    guard !isEnding, let slot = backlog.add(request.topics) else { return nil }
    let client = Client(slot, request, sources, now: loop.now)
    let slices = HTTPSlices(lasting: { [weak self] in self?.step(of: client) ?? .ends })
    client.slices = slices
    client.stream = self
    clients[slot] = Reference(client: client)
    changed()
    arm()
    var response = HTTPResponse(
      contentType: "text/event-stream", body: Self.greeting,
      headers: [.init("Cache-Control", "no-store"), .init("X-Content-Type-Options", "nosniff")])
    response.slices = slices
    return response
  }

  // MARK: The messages of one client

  private func step(of client: Client) -> HTTPSlices.Step {
    let step = nextStep(of: client)
    if case .bytes = step {
      client.lastTraffic = loop.now
      client.needsComment = false
      arm()
    }
    return step
  }

  private func nextStep(of client: Client) -> HTTPSlices.Step {
    if client.needsStatus {
      client.needsStatus = false
      if let status = client.sources.status() { return .bytes(StreamEvent.status(status).rendered) }
    }
    if let position = client.readsAfter, let step = readEvents(of: client, after: position) { return step }
    switch backlog.next(for: client.slot) {
    case .message(let bytes, _): return .bytes(bytes)
    case .lagged(let position):
      client.needsStatus = true
      client.readsAfter = position
      return .bytes(StreamEvent.lagged)
    case .nothing:
      if client.needsComment { return .bytes(Self.comment) }
      return isEnding ? .ends : .waits
    }
  }

  /// Reads one step of the log per turn of the loop; nil if all events were read, or the log cannot be read.
  private func readEvents(of client: Client, after position: Int64) -> HTTPSlices.Step? {
    guard client.stepTurn != loop.turn else { return continueNextTurn(client) }
    client.stepTurn = loop.turn
    client.steps = client.steps ?? client.sources.events(position)
    guard let events = client.steps?.next() else {
      (client.steps, client.readsAfter) = (nil, nil)
      return nil
    }
    var text: [UInt8] = []
    for event in events {
      if let id = event.id { backlog.sent(event: id, to: client.slot) }
      text += event.rendered
    }
    return text.isEmpty ? continueNextTurn(client) : .bytes(text)
  }

  private func continueNextTurn(_ client: Client) -> HTTPSlices.Step {
    loop.callNextTurn { [weak client] in client?.slices?.resume() }
    return .waits
  }

  // MARK: Clients and the timer

  private func remove(_ slot: StreamBacklog.Slot) {
    backlog.remove(slot)
    clients[slot] = nil
    arm()
    changed()
  }

  private func changed() {
    guard !hasChange else { return }
    hasChange = true
    loop.callNextTurn { [weak self] in
      self?.hasChange = false
      self?.outputs.clientsChanged()
    }
  }

  private func arm() {
    let oldest = clients.values.compactMap { $0.client?.lastTraffic }.min()
    if oldest != nil, timer == nil {
      timer = loop.addTimer("event stream") { [weak self] now in self?.sendComments(now: now) }
    }
    timer?.arm(
      at: oldest.map { $0 + Self.longestQuietTime }, slack: Self.longestQuietTime - Self.quietTime)
  }

  private func sendComments(now: Moment) {
    for reference in clients.values {
      guard let client = reference.client, client.lastTraffic + Self.quietTime <= now else { continue }
      client.lastTraffic = now
      client.needsComment = true
      client.slices?.resume()
    }
    arm()
  }
}

/// The events of the log after a position, read in steps.
protocol EventSteps: AnyObject {
  /// The events of the next rows, which may be none; nil at the end, and if the log cannot be read.
  func next() -> [StreamEvent]?
}
