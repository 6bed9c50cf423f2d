import Quantities

/// The phase of a running receiver. Monitors that frames keep arriving, and holds the times of the next commands.
struct Running: Equatable, Sendable {
  /// Number of bytes without a frame that rules out a proven baud rate.
  static let lostBytes = 4500
  /// Shortest silence that is a fault.
  static let shortestSilence = Duration.seconds(15)
  /// Time by which the poll of antenna and jamming may be sent earlier, together with other traffic.
  static let healthSlack = Duration.seconds(2)

  /// The result of an event or timeout.
  enum Outcome: Equatable, Sendable {
    case talking
    /// Many bytes and no frame, because after a loss of supply a receiver uses its factory baud rate again.
    case garbled
    case silent
    case setUpIsDue
    case identificationIsDue
    case aidIsDue
    case healthIsDue
    case adjustmentIsDue
    case batchIsDue
  }

  /// Silence that is a fault; nil if silence is not monitored.
  private let silence: Duration?
  private var silentFrom: Moment?
  private var bytesWithoutFrame = 0
  var setUpAt: Moment?
  var identifyAt: Moment?
  /// The time to send aiding.
  var aidAt: Moment?
  /// The aiding in progress.
  var aiding: Aiding?
  /// The time to poll antenna, jamming and spoofing indicators.
  var healthAt: Moment?
  /// The time of the next other command or poll.
  var adjustAt: Moment?
  /// The adjustment in progress.
  var adjusting: Adjusting?
  /// The batching in progress.
  var batching: Batching?

  init(interval: Duration, watchesSilence: Bool, now: Moment) {
    silence = watchesSilence ? max(Self.shortestSilence, interval * 4) : nil
    silentFrom = silence.map { now.after($0) }
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

  private var adjustmentDue: Moment? { adjusting == nil ? adjustAt : adjusting?.run.deadline }

  mutating func received(bytes: Int, frames: Int, now: Moment) -> Outcome {
    guard bytes > 0 else { return .talking }
    if let silence, frames > 0 { silentFrom = now.after(silence) }
    bytesWithoutFrame = frames > 0 ? 0 : min(bytesWithoutFrame + min(bytes, Self.lostBytes), Self.lostBytes)
    guard bytesWithoutFrame < Self.lostBytes else { return .garbled }
    // The host is awake now and need not wake again for the poll.
    guard frames > 0, let healthAt, now + Self.healthSlack >= healthAt else { return .talking }
    self.healthAt = nil
    return .healthIsDue
  }

  mutating func handleTimeout(now: Moment) -> Outcome {
    if let batching {
      guard let due = batching.deadline, now >= due else { return .talking }
      return .batchIsDue
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
      return .aidIsDue
    }
    if let adjustmentDue, now >= adjustmentDue {
      adjustAt = nil
      return .adjustmentIsDue
    }
    if let healthAt, now >= healthAt {
      self.healthAt = nil
      return .healthIsDue
    }
    // Unreadable data is no silence.
    if let silentFrom, now >= silentFrom { return bytesWithoutFrame < Finding.someBytes ? .silent : .garbled }
    return .talking
  }
}
