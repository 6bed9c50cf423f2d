import GNSSProtocol
import Quantities

/// The phase of a running receiver. Monitors that frames keep arriving, and sends what a running receiver is
/// sent: aiding, polls, single settings, and the commands of batching.
struct Running: Sendable {
  /// Number of bytes without a frame that rules out a proven baud rate.
  static let lostBytes = 4500
  /// Shortest silence that is a fault.
  static let shortestSilence = Duration.seconds(15)
  /// Time by which the poll of antenna and jamming may be sent earlier, together with other traffic.
  static let healthSlack = Duration.seconds(2)
  /// Time until the queries are repeated that no family answered.
  static let identificationDelay = Duration.seconds(60)
  /// Time after a start before the satellites are polled; a hot start has a fix earlier.
  static let pollDelayAfterStart = Duration.seconds(3)
  /// Time between two polls of the satellites.
  static let satellitePollInterval = Duration.seconds(5)

  /// The result of an event or timeout.
  enum Outcome: Equatable, Sendable {
    case talking
    /// Many bytes and no frame, because after a loss of supply a receiver uses its factory baud rate again.
    case garbled
    case silent
    case setUpIsDue
    case identificationIsDue
    /// The receiver reports every epoch again; requests that waited for it are due.
    case batchingEnded(setUpAt: Moment?)
    /// The epochs of an earlier run of the program have arrived, or do not arrive.
    case continuationEnded
  }

  /// Silence that is a fault; nil if silence is not monitored.
  private let silence: Duration?
  private var silentFrom: Moment?
  private var bytesWithoutFrame = 0
  /// The time to send the complete configuration.
  private(set) var setUpAt: Moment?
  private var identifyAt: Moment?
  /// The time to send aiding.
  private var aidAt: Moment?
  /// The aiding in progress.
  private var aiding: Aiding?
  /// The time to poll antenna, jamming and spoofing indicators.
  private var healthAt: Moment?
  /// The time of the next other command or poll.
  private var adjustAt: Moment?
  /// The adjustment in progress.
  private var adjusting: Adjusting?
  /// The batching in progress.
  private(set) var batching: Batching?

  /// Enters the phase; `batching` is what continues of it.
  init(
    _ link: ReceiverLink, _ power: PowerRequest, _ health: HealthPolls, setUpAt: Moment?,
    continuing batching: Batching?, now: Moment
  ) {
    let interval = link.interval * power.toleranceOfSilence
    silence = link.mayControl && power.isAwake ? max(Self.shortestSilence, interval * 4) : nil
    silentFrom = silence.map { now.after($0) }
    self.setUpAt = setUpAt.map { max($0, now.after(.zero)) }
    if link.identification.isQueriedAgain { identifyAt = now + Self.identificationDelay }
    aidAt = link.aidIsDue(now: now)
    healthAt = health.due(link, power, now: now)
    adjustAt = Self.adjustmentIsDue(link, power, now: now)
    self.batching = batching
  }

  var deadline: Moment? {
    // During batching silence is expected, and other commands wait for the next retrieval.
    if let batching { return batching.deadline }
    var earliest = silentFrom
    for moment in [setUpAt, identifyAt, aidAt, aiding?.deadline, healthAt, adjustmentDue] {
      if let moment { earliest = min(earliest ?? moment, moment) }
    }
    return earliest
  }

  /// True if replies are expected that a poll could be mistaken for.
  var isBusy: Bool { adjusting != nil || aiding != nil }

  /// True if bytes must be read as they arrive.
  var listensClosely: Bool { adjusting != nil || batching?.listensClosely == true }

  private var adjustmentDue: Moment? { adjusting == nil ? adjustAt : adjusting?.run.deadline }

  // MARK: Events

  mutating func received(
    bytes: Int, frames: Int, _ link: ReceiverLink, _ health: inout HealthPolls, now: Moment,
    _ actions: inout [DialogueAction]
  ) -> Outcome {
    guard bytes > 0 else { return .talking }
    if let silence, frames > 0 { silentFrom = now.after(silence) }
    bytesWithoutFrame = frames > 0 ? 0 : min(bytesWithoutFrame + min(bytes, Self.lostBytes), Self.lostBytes)
    guard bytesWithoutFrame < Self.lostBytes else { return .garbled }
    // The host is awake now and need not wake again for the poll.
    if frames > 0, let healthAt, now + Self.healthSlack >= healthAt {
      self.healthAt = health.poll(link.dialect, now: now, &actions)
    }
    return .talking
  }

  /// Handles a reply to a command, if `answer` is one.
  mutating func take(
    _ answer: ReceiverAnswer, _ link: inout ReceiverLink, _ power: PowerRequest,
    _ request: inout BatchingRequest, now: Moment, _ actions: inout [DialogueAction]
  ) -> Outcome {
    if let notice = aiding?.take(answer) { report(notice, &link, &actions) }
    endAidingIfFinished(link, now: now)
    if adjusting != nil {
      adjusting?.take(answer, now: now, &actions)
      endAdjustingIfFinished(&link, power, now: now, &actions)
    }
    guard let outcome = batching?.take(answer, now: now, &actions) else { return .talking }
    if let dropped = batching?.takeDropped(), dropped > 0 { request.earlierDropped(dropped) }
    return follow(outcome, link, &request, now: now, &actions)
  }

  mutating func handleTimeout(
    _ link: inout ReceiverLink, _ power: PowerRequest, _ request: inout BatchingRequest,
    _ health: inout HealthPolls, now: Moment, _ actions: inout [DialogueAction]
  ) -> Outcome {
    if let outcome = batching?.handleTimeout(now: now, &actions) {
      return follow(outcome, link, &request, now: now, &actions)
    }
    if let setUpAt, now >= setUpAt {
      self.setUpAt = nil
      return .setUpIsDue
    }
    if let identifyAt, now >= identifyAt {
      self.identifyAt = nil
      return .identificationIsDue
    }
    if let due = aiding == nil ? aidAt : aiding?.deadline, now >= due {
      aidAt = nil
      aid(&link, now: now, &actions)
      return .talking
    }
    if let adjustmentDue, now >= adjustmentDue {
      adjustAt = nil
      adjust(&link, power, now: now, &actions)
      return .talking
    }
    if let healthAt, now >= healthAt {
      self.healthAt = health.poll(link.dialect, now: now, &actions)
      return .talking
    }
    // Unreadable data is no silence.
    if let silentFrom, now >= silentFrom { return bytesWithoutFrame < Finding.someBytes ? .silent : .garbled }
    return .talking
  }

  // MARK: Aiding

  /// Takes note of new aiding data.
  mutating func aidingChanged(_ link: ReceiverLink, now: Moment) {
    if aiding == nil { aidAt = link.aidIsDue(now: now) }
  }

  /// Performs one step of aiding, from the first command to the last reply.
  private mutating func aid(_ link: inout ReceiverLink, now: Moment, _ actions: inout [DialogueAction]) {
    guard let dialect = link.dialect else { return }
    if aiding?.isSent == true {
      for notice in aiding?.giveUp() ?? [] { report(notice, &link, &actions) }
      aiding = nil
      // The host may have learned more meanwhile.
      aidAt = link.aidIsDue(now: now)
      return
    }
    if aiding == nil, let missing = link.aiding.missing(now: now) {
      aiding = Aiding(missing, dialect: dialect, line: link.line, interval: link.interval)
    }
    // A fix between two commands makes the remaining aiding needless.
    guard aiding != nil, !link.aiding.hasFix else {
      aiding = nil
      return
    }
    switch aiding?.proceed(dialect: dialect, line: link.line, now: now, &actions) {
    case .time: link.aiding.recordSentTime()
    case .knownPosition: link.aiding.recordSentPosition()
    case .both:
      link.aiding.recordSentTime()
      link.aiding.recordSentPosition()
    case .preparation, nil: break
    }
    endAidingIfFinished(link, now: now)
  }

  private mutating func endAidingIfFinished(_ link: ReceiverLink, now: Moment) {
    guard aiding?.isFinished == true else { return }
    aiding = nil
    aidAt = link.aidIsDue(now: now)
  }

  private func report(
    _ notice: DialogueNotice, _ link: inout ReceiverLink, _ actions: inout [DialogueAction]
  ) {
    if link.aiding.mayReport(notice) { actions.append(.report(notice)) }
  }

  // MARK: Single settings and polls of the satellites

  /// The time of the next command or poll; nil if there is none.
  private static func adjustmentIsDue(_ link: ReceiverLink, _ power: PowerRequest, now: Moment) -> Moment? {
    guard power.isAwake, let dialect = link.controlDialect else { return nil }
    if link.needsSatellites, link.configuration.applied.power == .continuous, !dialect.askSatellites().isEmpty
    {
      return now + Self.pollDelayAfterStart
    }
    switch link.openSubject(dialect) {
    case nil: return nil
    case .satellites(true) where !link.configuration.isAskedForSatellites:
      return now + Self.pollDelayAfterStart
    case .satellites, .power: return now.after(.zero)
    }
  }

  /// Takes note of a change of the desired configuration.
  mutating func configurationChanged(_ link: ReceiverLink, _ power: PowerRequest, now: Moment) {
    if adjusting == nil { adjustAt = Self.adjustmentIsDue(link, power, now: now) }
  }

  /// Performs one step of an adjustment, from the first command to the last reply.
  private mutating func adjust(
    _ link: inout ReceiverLink, _ power: PowerRequest, now: Moment, _ actions: inout [DialogueAction]
  ) {
    guard let dialect = link.dialect else { return }
    if adjusting != nil {
      adjusting?.handleTimeout(now: now, &actions)
      return endAdjustingIfFinished(&link, power, now: now, &actions)
    }
    // Replies to aiding could be mistaken for replies to this.
    guard aiding == nil else {
      adjustAt = now.after(.seconds(1))
      return
    }
    if let subject = link.openSubject(dialect) {
      adjusting = Adjusting(subject, by: link.commands(for: subject, dialect), line: link.line)
      adjusting?.begin(now: now, &actions)
      return endAdjustingIfFinished(&link, power, now: now, &actions)
    }
    if link.needsSatellites {
      for command in dialect.askSatellites() { actions.append(.write(command.bytes)) }
      adjustAt = now + Self.satellitePollInterval
    }
  }

  private mutating func endAdjustingIfFinished(
    _ link: inout ReceiverLink, _ power: PowerRequest, now: Moment, _ actions: inout [DialogueAction]
  ) {
    guard let finished = adjusting, finished.run.isFinished else { return }
    adjusting = nil
    let pause = link.configuration.record(finished, &actions)
    adjustAt = pause.map { now.after($0) } ?? Self.adjustmentIsDue(link, power, now: now)
  }

  // MARK: Batching

  /// Begins, ends or continues batching after any event, as requested. A receiver with enough memory may
  /// store its epochs while no program needs them; any other request ends batching first.
  mutating func settleBatching(
    _ request: inout BatchingRequest, _ link: inout ReceiverLink, _ power: PowerRequest, now: Moment,
    _ actions: inout [DialogueAction]
  ) {
    if let batching {
      if batching.stage == .keeping { reconsider(batching, &request, &link, power, now: now, &actions) }
    } else if request.isUseful, !isBusy, mayBatch(request, link, power, now: now), !request.isRefused,
      let sequence = link.batchSequence,
      request.mayBegin(entries: sequence.entries, interval: link.interval)
    {
      request.beginning()
      batching = Batching(
        sequence, line: link.line, waking: link.wakeBytes, now: now, &actions)
    }
  }

  /// True if no other request is open.
  private func mayBatch(
    _ request: BatchingRequest, _ link: ReceiverLink, _ power: PowerRequest, now: Moment
  ) -> Bool {
    guard let dialect = link.dialect, power.isAwake, !link.configuration.isSetUpNew, setUpAt == nil,
      link.aiding.hasFix
    else { return false }
    return request.isAllowed(now: now) && !link.configuration.desired.reportsSatellites
      && link.openSubject(dialect) == nil
  }

  private mutating func reconsider(
    _ batching: Batching, _ request: inout BatchingRequest, _ link: inout ReceiverLink,
    _ power: PowerRequest, now: Moment, _ actions: inout [DialogueAction]
  ) {
    if request.isContradicted {
      self.batching = nil
      setUpAt = now.after(.zero)
      link.starts.expect()
      link.recordNewStart(isBlank: true, now: now)
      actions.append(.report(.restarted))
    } else if let end = request.batchEnd(entries: batching.entries, interval: link.interval),
      mayBatch(request, link, power, now: now)
    {
      self.batching?.keep(until: end, now: now)
    } else {
      self.batching?.end(now: now, &actions)
    }
  }

  /// Requests the stored epochs.
  mutating func retrieve(now: Moment, _ actions: inout [DialogueAction]) {
    batching?.retrieve(now: now, &actions)
  }

  private mutating func follow(
    _ outcome: Batching.Outcome, _ link: ReceiverLink, _ request: inout BatchingRequest, now: Moment,
    _ actions: inout [DialogueAction]
  ) -> Outcome {
    switch outcome {
    case .working: return .talking
    case .begun:
      request.begun(now: now)
      return .talking
    case .taken(let count):
      request.retrieved(count, interval: link.interval, now: now)
      reportLost(&actions)
      return .talking
    case .ended:
      request.ended()
      reportLost(&actions)
      let isContinued = batching?.isContinued == true
      if !isContinued { request.refuse(command: batching?.failed, &actions) }
      batching = nil
      return isContinued ? .continuationEnded : .batchingEnded(setUpAt: setUpAt)
    case .silent:
      let isContinued = batching?.isContinued == true
      if isContinued { request.ended() } else { request.refuse(command: batching?.failed, &actions) }
      batching = nil
      return isContinued ? .continuationEnded : .silent
    }
  }

  private mutating func reportLost(_ actions: inout [DialogueAction]) {
    if let lost = batching?.takeLost(), lost > 0 { actions.append(.report(.epochsLost(lost))) }
  }
}
