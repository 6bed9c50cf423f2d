import EventLoop
import HTTPClient
import LoggerConfiguration
import Quantities
import Records
import Scheduling
import Settings
import System

/// Calls a program, unit or URL of `notifications`, without blocking.
///
/// A program gets the kind of event as its argument and as `OUTRIDER_EVENT`, and the event on standard input; success is exit
/// status 0. A unit gets the last two as files (``HookCommand``). A URL gets the event by POST; success is a 2xx response.
final class Notifier {
  /// The end of a call.
  struct Answer: Equatable {
    var moment: Moment
    var isSuccess: Bool
    /// The status, or the reason of a failure.
    var text: String
  }

  /// Handlers, set before the first notification.
  struct Outputs {
    /// Called when calls begin to fail, with the reason and the number of failures; not again until one succeeds.
    var failed: (String, Int64) -> Void = { _, _ in }
    /// Returns the date of the device and its time zone; nil while the date is unknown.
    var clock: () -> NotificationGate.Clock? = { nil }
    /// Called after held notifications were released.
    var released: () -> Void = {}
    /// Called after the last call in progress has ended.
    var idle: () -> Void = {}
  }

  let settings: NotificationSettings
  var outputs = Outputs()
  private(set) var queue: HookQueue
  private(set) var gate: NotificationGate
  /// The end of the last call, and of the last test.
  private(set) var answers: (last: Answer?, test: Answer?) = (nil, nil)

  private let loop: EventLoop
  private let client: HTTPClient
  private let userAgent: String
  private let host: HookCommand.Host
  private var timers: (calls: LoopTimer, gate: LoopTimer)?
  private var calls: [UInt64: Call] = [:]
  private var tests: Set<UInt64> = []

  private enum Call {
    case program(ChildProgram, EventLoop.Registration)
    case request(HTTPClient.Handle)
  }

  init(
    _ settings: NotificationSettings, loop: EventLoop, client: HTTPClient, version: String,
    host: HookCommand.Host = .current
  ) {
    self.settings = settings
    self.host = host
    // Two starts of one unit at a time would be one, with the files of the second.
    let isUnit = if case .command(let name) = settings.to { HookUnit(name) != nil } else { false }
    queue = HookQueue(mostCalls: isUnit ? 1 : HookQueue.mostCalls)
    gate = NotificationGate(NotificationRules(settings))
    self.loop = loop
    self.client = client
    userAgent = "Outrider/\(version)"
    timers = (
      loop.addTimer("notifications") { [unowned self] now in handleTimeout(now: now) },
      loop.addTimer("held notifications") { [unowned self] now in releaseHeld(now: now) }
    )
  }

  /// Cancels requests in progress; running programs continue to their end.
  func stop() {
    for number in calls.keys.sorted() { end(number, killing: false) }
    for timer in [timers?.calls, timers?.gate] {
      if let timer { loop.removeTimer(timer) }
    }
    timers = nil
  }

  /// Returns the call that a notification causes now; nil if there is none. What is held back is called later.
  func admit(_ notification: Scheduling.Notification, deviceID: String) -> HookQueue.Event? {
    self.deviceID = deviceID
    let message = gate.add(notification, now: loop.now, clock: outputs.clock())
    timers?.gate.arm(at: gate.nextTimeout, slack: .seconds(30))
    return message.map(event)
  }

  /// The name of the device at the last notification, for what is held back.
  private var deviceID = ""

  private func event(_ message: NotificationMessage) -> HookQueue.Event {
    HookQueue.Event(message, deviceID: deviceID, asText: settings.form == .text)
  }

  /// Holds back what an earlier run held back, and `more` others.
  func restore(_ earlier: [Scheduling.Notification], more: Int, deviceID: String) {
    self.deviceID = deviceID
    let message = gate.restore(earlier, more: more, now: loop.now, clock: outputs.clock())
    timers?.gate.arm(at: gate.nextTimeout, slack: .seconds(30))
    if let message { process(event(message)) }
  }

  private func releaseHeld(now: Moment) {
    if let message = gate.handleTimeout(now: now, clock: outputs.clock()) { process(event(message)) }
    timers?.gate.arm(at: gate.nextTimeout, slack: .seconds(30))
    outputs.released()
  }

  /// Queues the call for an event.
  func process(_ event: HookQueue.Event) { carryOut(queue.add(event, now: loop.now)) }

  private func handleTimeout(now: Moment) {
    carryOut(queue.handleTimeout(now: now))
    if !queue.isBusy { outputs.idle() }
  }

  private func carryOut(_ actions: [HookQueue.Action]) {
    for action in actions {
      switch action {
      case .call(let number, let event): call(number, event)
      case .abandon(let number):
        end(number, killing: true)
        note(number, isSuccess: false, "no answer in time")
      case .report(let reason, let count): outputs.failed("\(settings.to): \(reason)", count)
      }
    }
    timers?.calls.arm(at: queue.nextTimeout)
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

  private func ended(_ number: UInt64, isSuccess: Bool = false, _ text: String) {
    end(number, killing: false)
    note(number, isSuccess: isSuccess, text)
    carryOut(queue.ended(number, failure: isSuccess ? nil : text, now: loop.now))
    if !queue.isBusy { outputs.idle() }
  }

  /// Keeps the end of a call for the status.
  private func note(_ number: UInt64, isSuccess: Bool, _ text: String) {
    let answer = Answer(moment: loop.now, isSuccess: isSuccess, text: text)
    answers.last = answer
    if tests.remove(number) != nil { answers.test = answer }
  }

  private func call(_ number: UInt64, _ event: HookQueue.Event) {
    if event.kind == Scheduling.Notification.test { tests.insert(number) }
    switch settings.to {
    case .command(let program):
      start(
        HookCommand(
          program, arguments: [event.kind], environment: ["OUTRIDER_EVENT": event.kind], input: event.body,
          host: host), number)
    case .url(let endpoint): post(to: endpoint, number, event)
    }
  }

  private func start(_ command: HookCommand, _ number: UInt64) {
    do {
      let program = try command.start()
      let registration = try loop.watch(program.descriptor, for: .readable) { [unowned self, program] _ in
        let failure = program.ending?.failure
        ended(number, isSuccess: failure == nil, failure ?? "exited with status 0")
      }
      calls[number] = .program(program, registration)
    } catch {
      ended(number, "\(error)")
    }
  }

  private func post(to endpoint: Endpoint, _ number: UInt64, _ event: HookQueue.Event) {
    var request = HTTPClientRequest(.post, url: endpoint.text)
    let form = settings.form == .text ? "text/plain; charset=utf-8" : "application/json"
    request.headers = [("Content-Type", form), ("User-Agent", userAgent)]
    request.headers += event.headers.map { ($0.name, $0.value) }
    request.headers += settings.headers.map { ($0.name, $0.value.revealed) }
    request.body = [event.body]
    request.timeout = event.timeout
    request.responseLimit = 4096
    request.keepsConnection = false
    let handle = client.perform(request) { [unowned self] outcome in
      switch outcome {
      case .response(let response):
        ended(number, isSuccess: (200...299).contains(response.status), "status \(response.status)")
      case .failure(let failure): ended(number, "\(failure)")
      }
    }
    calls[number] = .request(handle)
  }
}
