import Quantities

/// The sleep of the receiver of a stationary device, saved before the host halts, so that the next run continues it: a start
/// of the host alone costs no search, and the intervals keep growing.
public struct SavedSleep: Equatable, Sendable {
  /// Time until the next position check or search.
  public var remaining: Duration
  /// True if the search after the start found no reception; false for a device whose position is recorded.
  public var lacksReception: Bool
  /// Time for which the device has been stationary.
  public var stationary: Duration
  /// The interval after the next position check; nil before the first.
  public var checkInterval: Duration?
  /// The back-off after the next failed search.
  public var backOff: Duration
  /// Time without a record or heartbeat; nil without a record.
  public var silence: Duration?
  /// UTC at the time of saving; nil if it was unknown.
  public var time: Timestamp?

  public init(
    remaining: Duration, lacksReception: Bool, stationary: Duration, checkInterval: Duration?,
    backOff: Duration, silence: Duration? = nil
  ) {
    (self.remaining, self.lacksReception, self.stationary) = (remaining, lacksReception, stationary)
    (self.checkInterval, self.backOff, self.silence) = (checkInterval, backOff, silence)
  }

  /// The stored form: seven words separated by tabs, read by ``init(words:)``.
  public var words: [String] {
    [
      lacksReception ? "no_reception" : "stationary", "\(remaining.wholeSeconds)",
      checkInterval.map { "\($0.wholeSeconds)" } ?? "-", "\(backOff.wholeSeconds)",
      silence.map { "\($0.wholeSeconds)" } ?? "-", time.map { "\($0.milliseconds)" } ?? "-",
      "\(stationary.wholeSeconds)",
    ]
  }

  /// Reads ``words``; nil for any others.
  public init?(words: [String]) {
    guard words.count == 7, let remaining = Self.duration(words[1]), let backOff = Self.duration(words[3]),
      let stationary = Self.duration(words[6])
    else { return nil }
    switch words[0] {
    case "stationary": lacksReception = false
    case "no_reception": lacksReception = true
    default: return nil
    }
    self.remaining = remaining
    checkInterval = Self.duration(words[2])
    self.backOff = backOff
    self.stationary = stationary
    silence = Self.duration(words[4])
    time = Int64(words[5]).map { Timestamp(milliseconds: $0) }
  }

  private static func duration(_ word: String) -> Duration? {
    Int32(word).flatMap { $0 >= 0 ? .seconds($0) : nil }
  }

  /// The sleep after some more of it has passed. With `checksNow` the next position check is due.
  public func after(_ time: Duration, checksNow: Bool) -> SavedSleep {
    var sleep = self
    sleep.remaining = checksNow ? .zero : max(remaining - time, .zero)
    sleep.silence = silence.map { $0 + time }
    sleep.stationary = stationary + time
    sleep.time = self.time.map { $0 + time }
    return sleep
  }
}

/// The tracking of a moving device whose receiver goes on storing its epochs while the host sleeps: the next run reads them as the
/// continuation of this leg.
public struct SavedTracking: Equatable, Sendable {
  /// True in cyclic tracking.
  public var isCyclic: Bool
  /// True if a sensor detects motion while the receiver sleeps. It reports after the stored epochs, which may contain a stop.
  public var hasMotionSensor: Bool

  public init(isCyclic: Bool, hasMotionSensor: Bool) {
    (self.isCyclic, self.hasMotionSensor) = (isCyclic, hasMotionSensor)
  }

  /// The stored form: two words separated by tabs, read by ``init(words:)``.
  public var words: [String] { [isCyclic ? "cyclic" : "tracking", hasMotionSensor ? "sensor" : "-"] }

  /// Reads ``words``; nil for any others.
  public init?(words: [String]) {
    guard words.count == 2, ["cyclic", "tracking"].contains(words[0]) else { return nil }
    self.init(isCyclic: words[0] == "cyclic", hasMotionSensor: words[1] == "sensor")
  }
}

/// The start of a host that a planned sleep ended, and nobody else caused.
public struct Resumption: Equatable, Sendable {
  /// The time after a start within which a task is done at once, because the host would only wait for it.
  public static let soon = Duration.seconds(60)

  /// Time since the state was saved.
  public var pause: Duration
  /// True if the device may have moved: something else than the alarm started the host.
  public var checksNow: Bool

  public init(pause: Duration, checksNow: Bool) {
    (self.pause, self.checksNow) = (pause, checksNow)
  }
}
