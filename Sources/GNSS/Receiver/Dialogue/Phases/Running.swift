import Quantities

/// The receiver talks. Watches that it goes on doing so, in frames.
struct Running: Equatable, Sendable {
  /// Bytes without a frame that rule out a speed that was proven before.
  static let lostBytes = 4500
  /// No shorter silence is taken for trouble.
  static let shortestSilence = Duration.seconds(15)
  /// So much before its time the question how it fares may go out together with other traffic.
  static let healthSlack = Duration.seconds(2)

  enum Outcome: Equatable, Sendable {
    case talking
    /// Many bytes and no frame: a receiver that lost its supply talks at the speed of its factory again.
    case garbled
    case silent
    case setUpIsDue
    case identificationIsDue
    case aidIsDue
    case healthIsDue
    case adjustmentIsDue
    case batchIsDue
  }

  /// Silence that is trouble; nil when silence is nobody's business.
  private let silence: Duration?
  private var silentFrom: Moment?
  private var bytesWithoutFrame = 0
  var setUpAt: Moment?
  var identifyAt: Moment?
  /// When it is to be told time and place.
  var aidAt: Moment?
  /// It is being told.
  var aiding: Aiding?
  /// When it is to be asked how it fares.
  var healthAt: Moment?
  /// When it is to be told or asked something else.
  var adjustAt: Moment?
  /// It is being told.
  var adjusting: Adjusting?
  /// It keeps its epochs, or is being told to.
  var batching: Batching?

  init(interval: Duration, watchesSilence: Bool, now: Moment) {
    silence = watchesSilence ? max(Self.shortestSilence, interval * 4) : nil
    silentFrom = silence.map { now.after($0) }
  }

  var deadline: Moment? {
    // Its silence is agreed, and what else may be said waits for the next time that it is asked.
    if let batching { return batching.deadline }
    var earliest = silentFrom
    for moment in [setUpAt, identifyAt, aidAt, aiding?.deadline, healthAt, adjustmentDue] {
      if let moment { earliest = min(earliest ?? moment, moment) }
    }
    return earliest
  }

  private var adjustmentDue: Moment? { adjusting == nil ? adjustAt : adjusting?.run.deadline }

  mutating func heard(bytes: Int, frames: Int, now: Moment) -> Outcome {
    guard bytes > 0 else { return .talking }
    if let silence, frames > 0 { silentFrom = now.after(silence) }
    bytesWithoutFrame = frames > 0 ? 0 : min(bytesWithoutFrame + min(bytes, Self.lostBytes), Self.lostBytes)
    guard bytesWithoutFrame < Self.lostBytes else { return .garbled }
    // Whoever drives it is awake now, and need not wake again for the question.
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
    // What is heard without being understood is no silence.
    if let silentFrom, now >= silentFrom { return bytesWithoutFrame < Finding.someBytes ? .silent : .garbled }
    return .talking
  }
}
