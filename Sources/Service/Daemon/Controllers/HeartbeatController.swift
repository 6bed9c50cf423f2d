import EventLoop
import HTTPClient
import LocalAPI
import Quantities
import Scheduling
import Settings

/// Owns the sign of life for a monitor (`heartbeat`): requests its address together with the sends.
final class HeartbeatController {
  /// Handlers, set before ``start()``.
  struct Outputs {
    /// Returns the reasons why logging does not work; empty if it does.
    var faults: () -> [String] = { [] }
    /// Returns the radio; nil if it is not switched.
    var radio: () -> NetworkRadio? = { nil }
  }

  private static let timeout = Duration.seconds(10)
  /// The limit of the reason in a request, in bytes.
  private static let longestReason = 1000

  private let context: LoggerContext
  private let client: HTTPClient
  var outputs = Outputs()
  private var schedule: HeartbeatSchedule?
  private var url: Endpoint?
  private var timer: LoopTimer?
  private var request: (handle: HTTPClient.Handle, radio: NetworkRadio?, token: UInt64?)?

  init(_ context: LoggerContext, _ client: HTTPClient) {
    self.context = context
    self.client = client
  }

  /// Follows the configuration; the next request is due immediately.
  func start() {
    stop()
    let settings = context.configuration.heartbeat
    url = settings.url
    guard url != nil else { return }
    let isAlone = outputs.radio() == nil
    schedule = HeartbeatSchedule(every: settings.every, isAlone: isAlone, now: context.loop.now)
    if isAlone { timer = context.loop.addTimer("heartbeat") { [unowned self] now in sendIfDue(now: now) } }
    arm(now: context.loop.now)
  }

  /// Applies a changed configuration, which is in force already.
  func configurationChanged() {
    let settings = context.configuration.heartbeat
    if settings.url != url || schedule.map({ $0.every != settings.every }) ?? false { start() }
    // The master switch may have changed.
    arm(now: context.loop.now)
  }

  /// Abandons a request in progress.
  func stop() {
    if let request {
      client.cancel(request.handle)
      if let token = request.token { request.radio?.done(token) }
    }
    if let timer { context.loop.removeTimer(timer) }
    (request, timer, schedule) = (nil, nil, nil)
  }

  /// A send to a server has ended: the network is on.
  func sendEnded() { sendIfDue(now: context.loop.now) }

  /// Arms the timer, at least a minute ahead, so that a request that is not possible does not wake the loop again at once.
  private func arm(now: Moment) {
    let due = context.configuration.isTracking ? schedule?.nextTimeout : nil
    timer?.arm(at: due.map { max($0, now + HeartbeatSchedule.leastPause) }, slack: .seconds(60))
  }

  private func sendIfDue(now: Moment) {
    defer { arm(now: now) }
    guard let url, let schedule, context.configuration.isTracking else { return }
    let faults = outputs.faults()
    guard schedule.isDue(isHealthy: faults.isEmpty, now: now) else { return }
    let radio = outputs.radio()
    // A session of the radio is prolonged for the request, and never begun.
    if let radio, !radio.schedule.isUp { return }
    self.schedule?.begin(isHealthy: faults.isEmpty, now: now)
    let token = radio?.requestNetwork {}
    let handle = client.perform(Self.request(to: url, faults: faults)) { [unowned self] outcome in
      request = nil
      if let token { radio?.done(token) }
      self.schedule?.end(failure: Self.failure(outcome), now: context.loop.now)
      arm(now: context.loop.now)
    }
    request = (handle, radio, token)
  }

  private static func failure(_ outcome: HTTPOutcome) -> String? {
    switch outcome {
    case .response(let response) where (200...299).contains(response.status): nil
    case .response(let response): "status \(response.status)"
    case .failure(let failure): "\(failure)"
    }
  }

  private static func request(to url: Endpoint, faults: [String]) -> HTTPClientRequest {
    let isHealthy = faults.isEmpty
    var request = HTTPClientRequest(
      isHealthy ? .get : .post, url: isHealthy ? url.text : Self.failing(url.text))
    request.headers = [("User-Agent", "Outrider/\(Release.version)")]
    if !isHealthy {
      request.headers.append(("Content-Type", "text/plain; charset=utf-8"))
      request.body = [Array(faults.joined(separator: "\n").utf8.prefix(longestReason))]
    }
    request.timeout = timeout
    request.responseLimit = 1024
    request.keepsConnection = false
    return request
  }

  /// The address with `/fail` at the end of its path.
  static func failing(_ url: String) -> String {
    let end = url.firstIndex { $0 == "?" || $0 == "#" } ?? url.endIndex
    let path = url[..<end]
    return "\(path.hasSuffix("/") ? path.dropLast() : path)/fail\(url[end...])"
  }

  /// The sign of life in the status; nil if none is configured.
  var report: StatusReport.Heartbeat? {
    guard let url, let schedule else { return nil }
    let now = context.loop.now
    var report = StatusReport.Heartbeat(
      url: "\(url)", every_s: schedule.every.inSeconds, healthy: outputs.faults().isEmpty)
    report.last_success_age_s = schedule.lastSuccess.map { (now - $0).inSeconds }
    report.last_attempt_age_s = schedule.lastAttempt.map { (now - $0).inSeconds }
    report.trouble = schedule.failure
    return report
  }
}
