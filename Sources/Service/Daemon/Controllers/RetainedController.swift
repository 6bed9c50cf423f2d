import EventLoop
import LoggerConfiguration
import Quantities
import Records
import Settings
import Tracking
import Uplink

/// Lets brokers discard a retained position that a privacy zone hides, wherever the zone comes from: at once, else until it
/// succeeds, also after a restart.
final class RetainedController {
  /// Handlers, set before the log is open.
  struct Outputs {
    /// Saves the state at once, or with the next records.
    var save: (_ text: String, _ withRecords: Bool) -> Void = { _, _ in }
    /// Requests the network, and calls the function when it is up; returns a token. Nil if the radio is not switched.
    var requestRadio: (@escaping () -> Void) -> UInt64? = {
      $0(); return nil
    }
    var releaseRadio: (UInt64) -> Void = { _ in }
  }

  /// The first and the longest time between two attempts.
  static let firstDelay = Duration.seconds(60)
  static let longestDelay = Duration.seconds(6 * 3600)
  /// The time limit of an attempt.
  static let timeout = Duration.seconds(60)

  private struct Connection {
    weak var transport: MQTTTransport?
  }

  private let context: LoggerContext
  private var positions = RetainedPositions()
  private var connections: [String: Connection] = [:]
  /// The topics that are being erased, by destination.
  private var inProgress: [String: [RetainedPositions.Topic]] = [:]
  private var delay = RetainedController.firstDelay
  private var timer: LoopTimer?
  private var radioToken: UInt64?
  private var isOpen = false
  /// The newest location of the log at the start.
  private var newest: LogRecord?
  var outputs = Outputs()

  init(_ context: LoggerContext) {
    self.context = context
    timer = context.loop.addTimer("retained") { [unowned self] _ in handleTimeout() }
  }

  func stop() {
    if let timer { context.loop.removeTimer(timer) }
    timer = nil
    connections = [:]
  }

  /// Follows the retained messages of a transport, which replaces an earlier one of the destination.
  func follow(_ transport: MQTTTransport, of name: String) {
    connections[name] = Connection(transport: transport)
    inProgress[name] = nil
    if isOpen {
      considerNewest(transport, of: name)
      decide()
      if inProgress.isEmpty, !due(of: name).isEmpty { timer?.arm(after: .seconds(1)) }
    }
    let broker = transport.brokerURL
    transport.onRetained = { [weak self] event in
      switch event {
      case .sending(let location, let time, let topic):
        self?.change { $0.sending(location, at: time, to: .init(name: name, broker: broker, topic: topic)) }
      case .stored(let location, let topic):
        self?.change { $0.stored(location, in: .init(name: name, broker: broker, topic: topic)) }
      }
    }
  }

  /// Continues with the state of the last run. `newest` is the newest location of the log.
  func logOpened(_ text: String?, newest: LogRecord?) {
    isOpen = true
    if let text { positions = RetainedPositions(text) }
    self.newest = newest
    for (name, connection) in connections { connection.transport.map { considerNewest($0, of: name) } }
    configurationChanged()
  }

  private func considerNewest(_ transport: MQTTTransport, of name: String) {
    guard transport.isNewestOnly, let newest, case .location(let location) = newest.body else { return }
    let id = location.deviceID.isEmpty ? context.configuration.deviceID : location.deviceID
    guard let topic = MQTTTransport.topic(of: id) else { return }
    positions.found(
      location, at: newest.time, for: .init(name: name, broker: transport.brokerURL, topic: topic))
  }

  /// Decides anew: the zones or the destinations may have changed.
  func configurationChanged() {
    guard isOpen else { return }
    let before = positions
    decide()
    if positions != before { save(withRecords: false) }
    attempt()
  }

  /// The network is back.
  func networkReturned() { if isOpen { attempt() } }

  private func change(_ change: (inout RetainedPositions) -> Void) {
    change(&positions)
    let before = positions
    decide()
    save(withRecords: positions == before)
    if positions != before, inProgress.isEmpty { timer?.arm(after: .seconds(1)) }
  }

  private func decide() {
    let zones = PrivateZones(context.configuration)
    if !zones.isEmpty { positions.decide { zones.hides($0) } }
  }

  private func save(withRecords: Bool) { outputs.save(positions.text, withRecords) }

  // MARK: Attempts

  private func due(of name: String) -> [RetainedPositions.Topic] {
    guard let transport = connections[name]?.transport else { return [] }
    return positions.due(name: name, broker: transport.brokerURL)
  }

  private func attempt() {
    guard inProgress.isEmpty, connections.keys.contains(where: { !due(of: $0).isEmpty }) else { return }
    guard radioToken == nil else { return }
    timer?.arm(after: Self.timeout)
    // In the next iteration: the handler may be called before the token is known.
    radioToken = outputs.requestRadio { [weak self, loop = context.loop] in
      loop.callNextTurn { self?.erase() }
    }
  }

  private func erase() {
    for name in connections.keys.sorted() {
      let topics = due(of: name)
      guard !topics.isEmpty, inProgress[name] == nil, let transport = connections[name]?.transport else {
        continue
      }
      inProgress[name] = topics
      transport.erase(topics.map(\.topic)) { [weak self] isDone in self?.ended(name, topics, isDone: isDone) }
    }
  }

  private func ended(_ name: String, _ topics: [RetainedPositions.Topic], isDone: Bool) {
    guard inProgress.removeValue(forKey: name) != nil else { return }
    if isDone {
      for topic in topics { positions.erased(topic) }
      save(withRecords: false)
      context.journal.log(.notice, "upload \(name): the broker discarded a position in a privacy zone")
      delay = Self.firstDelay
    }
    guard inProgress.isEmpty else { return }
    if let radioToken { outputs.releaseRadio(radioToken) }
    radioToken = nil
    guard connections.keys.contains(where: { !due(of: $0).isEmpty }) else {
      timer?.arm(after: nil)
      return
    }
    timer?.arm(after: delay, slack: delay / 4)
    delay = min(delay * 2, Self.longestDelay)
  }

  private func handleTimeout() {
    guard inProgress.isEmpty else {
      for name in inProgress.keys.sorted() {
        connections[name]?.transport?.abandonErasure()
        // A transport that is gone does not answer.
        if let topics = inProgress[name] { ended(name, topics, isDone: false) }
      }
      return
    }
    if let radioToken { outputs.releaseRadio(radioToken) }
    radioToken = nil
    attempt()
  }
}
