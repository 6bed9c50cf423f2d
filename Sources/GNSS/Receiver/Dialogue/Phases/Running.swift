import Quantities

/// The receiver talks. Watches that it goes on doing so, in frames.
struct Running: Equatable, Sendable {
  /// Bytes without a frame that rule out a speed that was proven before.
  static let lostBytes = 4500
  /// No shorter silence is taken for trouble.
  static let shortestSilence = Duration.seconds(15)

  enum Outcome: Equatable, Sendable {
    case talking
    /// Many bytes and no frame: a receiver that lost its supply talks at the speed of its factory again.
    case garbled
    case silent
    case setUpIsDue
    case identificationIsDue
  }

  /// Silence that is trouble; nil when silence is nobody's business.
  private let silence: Duration?
  private var silentFrom: Moment?
  private var bytesWithoutFrame = 0
  var setUpAt: Moment?
  var identifyAt: Moment?

  init(interval: Duration, watchesSilence: Bool, now: Moment) {
    silence = watchesSilence ? max(Self.shortestSilence, interval * 4) : nil
    silentFrom = silence.map { now.after($0) }
  }

  var deadline: Moment? {
    var earliest = silentFrom
    for moment in [setUpAt, identifyAt] {
      if let moment { earliest = min(earliest ?? moment, moment) }
    }
    return earliest
  }

  mutating func heard(bytes: Int, frames: Int, now: Moment) -> Outcome {
    guard bytes > 0 else { return .talking }
    if let silence, frames > 0 { silentFrom = now.after(silence) }
    bytesWithoutFrame = frames > 0 ? 0 : min(bytesWithoutFrame + min(bytes, Self.lostBytes), Self.lostBytes)
    return bytesWithoutFrame >= Self.lostBytes ? .garbled : .talking
  }

  mutating func handleTimeout(now: Moment) -> Outcome {
    if let setUpAt, now >= setUpAt {
      self.setUpAt = nil
      return .setUpIsDue
    }
    if let identifyAt, now >= identifyAt {
      self.identifyAt = nil
      return .identificationIsDue
    }
    // What is heard without being understood is no silence.
    if let silentFrom, now >= silentFrom { return bytesWithoutFrame < Finding.someBytes ? .silent : .garbled }
    return .talking
  }
}
