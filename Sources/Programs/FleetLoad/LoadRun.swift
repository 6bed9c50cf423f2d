import EventLoop
import Glibc
import HTTPServer
import Quantities
import System

/// Runs the virtual devices on a loop.
final class LoadRun {
  private struct Client {
    var device: VirtualDevice
    var text: BatchText
    var token: String
    var connection: LoadConnection?
    var sent: Moment?
  }

  private static let sources = 2...6

  private let options: LoadOptions
  private let loop: EventLoop
  private var clients: [Client] = []
  private var idle: [LoadConnection] = []
  private var queue = MomentQueue()
  private var timer: LoopTimer?
  private let start: Moment
  private var running = 0
  private(set) var report = LoadReport()
  private var isEnding = false
  private var random: SplitMix64

  init(_ options: LoadOptions, tokens: [String], loop: EventLoop) {
    (self.options, self.loop, start) = (options, loop, loop.now)
    random = SplitMix64(seed: options.seed)
    for number in 0..<options.devices {
      clients.append(
        Client(
          device: VirtualDevice(options, number: number, start: start),
          text: BatchText(device: number, first: options.first),
          token: tokens.isEmpty ? "\(options.tokenPrefix)-\(number)" : tokens[number % tokens.count]))
    }
    timer = loop.addTimer("devices") { [weak self] _ in self?.runDue() }
  }

  /// Runs until all batches of the time are acknowledged. SIGTERM ends the time.
  func run() throws(SystemError) {
    for number in 0..<options.idle { open(idle: number) }
    running = clients.count
    for number in clients.indices { next(number) }
    let limit = loop.addTimer("limit") { [weak self] _ in self?.loop.stop() }
    let end = loop.addTimer("end") { [weak self] now in
      guard let self else { return }
      isEnding = true
      limit.arm(at: now + .seconds(options.patience))
    }
    end.arm(at: start + .seconds(options.seconds))
    let signals = try SignalDescriptor([SIGTERM])
    _ = try loop.watch(signals.raw, for: .readable) { [weak self] _ in
      while signals.next() != nil {}
      if let self { end.arm(at: loop.now) }
    }
    arm()
    try loop.run()
    report.unfinished = running
    for client in clients {
      report.acknowledged += client.device.acknowledged.count
      report.rewinds += client.device.rewinds
      report.refilled += client.device.refilled
      for record in client.device.acknowledged { report.add(checksum: client.text.checksum(record)) }
    }
    report.time = loop.now - start
  }

  private func open(idle number: Int) {
    let source = Self.sources.lowerBound + number % Self.sources.count
    guard let connection = LoadConnection(loop: loop, port: options.port, source: source) else {
      report.failures += 1
      return
    }
    connection.onAnswer = { [weak self] answer in
      if answer == nil { self?.report.lostIdle += 1 }
    }
    connection.send(Array("GET /healthz HTTP/1.1\r\nHost: h\r\n\r\n".utf8))
    idle.append(connection)
  }

  private func runDue() {
    let now = loop.now
    while let number = queue.takeDue(now: now) { next(number) }
    arm()
  }

  private func arm() { timer?.arm(at: queue.earliest) }

  private func next(_ number: Int) {
    let now = loop.now
    switch clients[number].device.step(now: now, isEnding: isEnding) {
    case .end:
      running -= 1
      clients[number].connection = nil
      if running == 0 { loop.stop() }
    case .wait(let time):
      // A device that waits looks at the end of the run, too.
      queue.insert(number, at: min(time, now + .seconds(1)))
      arm()
    case .send(let records, let isDropped): send(records, isDropped: isDropped, number)
    }
  }

  private func send(_ records: Range<Int>, isDropped: Bool, _ number: Int) {
    let client = clients[number]
    var body =
      records.isEmpty
      ? client.text.heartbeat
      : client.text.body(
        records, newest: Timestamp(milliseconds: 1_795_000_000_000 + Int64(records.upperBound) * 1000))
    var head =
      "POST \(options.path) HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(client.token)\r\n"
      + "Content-Type: application/json\r\n"
    if options.isPacked, let packed = Gzip.pack(body) {
      body = packed
      head += "Content-Encoding: gzip\r\n"
    }
    head += "Content-Length: \(body.count)\r\n\r\n"
    guard let connection = connection(of: number) else {
      report.failures += 1
      return finish(.failed, number)
    }
    report.requests += 1
    clients[number].sent = loop.now
    if isDropped {
      connection.onSent = { [weak self, weak connection] in
        guard let self, let connection, connection.isOpen else { return }
        report.drops += 1
        connection.close()
        clients[number].connection = nil
        loop.callNextTurn { [weak self] in self?.finish(.failed, number) }
      }
    } else {
      connection.onSent = {}
    }
    connection.send(Array(head.utf8) + body)
  }

  private func connection(of number: Int) -> LoadConnection? {
    if let connection = clients[number].connection, connection.isOpen { return connection }
    let source = Self.sources.lowerBound + number % Self.sources.count
    guard let connection = LoadConnection(loop: loop, port: options.port, source: source) else { return nil }
    connection.onAnswer = { [weak self] in self?.handle($0, number) }
    clients[number].connection = connection
    return connection
  }

  private func handle(_ answer: LoadConnection.Answer?, _ number: Int) {
    guard let answer else {
      clients[number].connection = nil
      // Between two requests this is no failure.
      guard clients[number].sent != nil else { return }
      report.failures += 1
      return finish(.failed, number)
    }
    guard let sent = clients[number].sent else { return }
    report.count(status: answer.status, after: loop.now - sent, isEnding: isEnding)
    if answer.isLast || Int.random(in: 0..<100, using: &random) < options.closed {
      clients[number].connection?.close()
      clients[number].connection = nil
    }
    switch answer.status {
    case 200: finish(.acknowledged(have: Self.have(in: answer.body)), number)
    case 429, 500...599:
      // 502 and 504 are a balancer's own, for a server that has ended.
      if answer.retryAfter == nil, answer.status != 502, answer.status != 504 { report.withoutDelay += 1 }
      finish(.later(.seconds(answer.retryAfter ?? 10) / options.speed), number)
    default:
      report.note("\(answer.status) \(String(decoding: answer.body, as: UTF8.self))")
      finish(.later(.seconds(60) / options.speed), number)
    }
  }

  /// The number of `have` in an answer; nil without it.
  private static func have(in body: ArraySlice<UInt8>) -> Int? {
    guard let key = body.firstRange(of: Array(#""have":"#.utf8)) else { return nil }
    return Int(String(decoding: body[key.upperBound...].prefix { (48...57).contains($0) }, as: UTF8.self))
  }

  private func finish(_ outcome: VirtualDevice.Outcome, _ number: Int) {
    clients[number].sent = nil
    clients[number].device.handle(outcome, now: loop.now)
    next(number)
  }
}
