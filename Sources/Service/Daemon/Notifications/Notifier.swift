import EventLoop
import HTTPClient
import Quantities
import Records
import Settings
import System

/// Calls the program, unit or URL of `notifications`, without blocking.
///
/// A program gets the kind of event as its argument and as `OUTRIDER_EVENT`, and the event as JSON on standard input; success
/// is exit status 0. A unit gets the last two as files (``HookCommand``). A URL gets the same JSON by POST; success is a 2xx
/// response.
final class Notifier {
  /// Called when calls begin to fail, with the reason and the number of failures; not again until one succeeds.
  var onFailure: (String, Int64) -> Void = { _, _ in }
  private(set) var queue: HookQueue

  private let loop: EventLoop
  private let client: HTTPClient
  private let hook: NotificationHook
  private let userAgent: String
  private let host: HookCommand.Host
  private var calls: [UInt64: Call] = [:]
  private var timer: LoopTimer?

  private enum Call {
    case program(ChildProgram, EventLoop.Registration)
    case request(HTTPClient.Handle)
  }

  init(
    _ hook: NotificationHook, loop: EventLoop, client: HTTPClient, version: String,
    host: HookCommand.Host = .current
  ) {
    self.hook = hook
    self.host = host
    // Two starts of one unit at a time would be one, with the files of the second.
    let isUnit = if case .command(let name) = hook { HookUnit(name) != nil } else { false }
    queue = HookQueue(mostCalls: isUnit ? 1 : HookQueue.mostCalls)
    self.loop = loop
    self.client = client
    userAgent = "Outrider/\(version)"
    timer = loop.addTimer("notifications") { [unowned self] now in carryOut(queue.handleTimeout(now: now)) }
  }

  /// Cancels requests in progress; running programs continue to their end.
  func stop() {
    for number in calls.keys.sorted() { end(number, killing: false) }
    if let timer { loop.removeTimer(timer) }
    timer = nil
  }

  /// Queues the call for an event.
  func process(_ event: HookQueue.Event) { carryOut(queue.add(event, now: loop.now)) }

  private func carryOut(_ actions: [HookQueue.Action]) {
    for action in actions {
      switch action {
      case .call(let number, let event): call(number, event)
      case .abandon(let number): end(number, killing: true)
      case .report(let reason, let count): onFailure("\(hook): \(reason)", count)
      }
    }
    timer?.arm(at: queue.nextTimeout)
  }

  private func end(_ number: UInt64, killing: Bool) {
    switch calls.removeValue(forKey: number) {
    case .program(let program, let registration)?:
      loop.remove(registration)
      if killing { program.kill() }
    case .request(let handle)?: client.cancel(handle)
    case nil: break
    }
  }

  private func ended(_ number: UInt64, _ failure: String?) {
    end(number, killing: false)
    carryOut(queue.ended(number, failure: failure, now: loop.now))
  }

  private func call(_ number: UInt64, _ event: HookQueue.Event) {
    switch hook {
    case .command(let program):
      start(
        HookCommand(
          program, arguments: [event.kind], environment: ["OUTRIDER_EVENT": event.kind], input: event.json,
          host: host), number)
    case .url(let endpoint): post(to: endpoint, number, event)
    }
  }

  private func start(_ command: HookCommand, _ number: UInt64) {
    do {
      let program = try command.start()
      let registration = try loop.watch(program.descriptor, for: .readable) { [unowned self, program] _ in
        ended(number, program.ending?.failure)
      }
      calls[number] = .program(program, registration)
    } catch {
      carryOut(queue.ended(number, failure: "\(error)", now: loop.now))
    }
  }

  private func post(to endpoint: Endpoint, _ number: UInt64, _ event: HookQueue.Event) {
    var request = HTTPClientRequest(.post, url: endpoint.text)
    request.headers = [("Content-Type", "application/json"), ("User-Agent", userAgent)]
    request.body = [event.json]
    request.timeout = HookQueue.callTimeout
    request.responseLimit = 4096
    request.keepsConnection = false
    let handle = client.perform(request) { [unowned self] outcome in
      switch outcome {
      case .response(let response) where (200...299).contains(response.status): ended(number, nil)
      case .response(let response): ended(number, "status \(response.status)")
      case .failure(let failure): ended(number, "\(failure)")
      }
    }
    calls[number] = .request(handle)
  }
}
