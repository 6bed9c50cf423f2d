import Quantities

/// Detects motion by fixes alone, for devices without accelerometer. Owned by ``Tracker``.
///
/// The device moves if its speed exceeds the noise for ``departure``, or if two consecutive fixes are farther from
/// its stop than ``reach`` and their uncertainty. It is stationary after ``stopDuration`` within reach. While it is not
/// fast, it is also stationary when the ignition goes off, or when the schedule puts the receiver to sleep.
struct FixMotionWatch: Sendable {
  /// A start or end of motion.
  enum Change: Equatable, Sendable {
    case began
    case ended(after: Duration)
  }

  static let departure = Duration.seconds(10)
  static let stopDuration = Duration.seconds(120)
  /// Radius of a stop in metres.
  static let reach = 30.0

  private(set) var isMoving = false
  /// True if the beginning of this motion is logged, so that its end will be.
  private(set) var isReported = false
  private var began = Moment.zero
  /// The present stop, or the last position at which such a circle was left, with its time.
  private var anchor: (observation: Observation, at: Moment)?
  private var fastSince: Moment?
  private var wasAway = false

  /// Processes a fix that passed the filters. Returns a change.
  mutating func take(_ observation: Observation, now: Moment) -> Change? {
    guard !observation.isVague else { return nil }
    guard let last = anchor else {
      anchor = (observation, now)
      return nil
    }
    let isFast = Odometer.isMoving(observation)
    fastSince = isFast ? fastSince ?? now : nil
    let isAway =
      observation.distance(to: last.observation) > Self.reach
      + observation.uncertainty(with: last.observation)
    defer { wasAway = isAway }
    guard isMoving else {
      guard fastSince.map({ now - $0 >= Self.departure }) == true || isAway && (wasAway || isFast) else {
        return nil
      }
      (isMoving, began) = (true, now)
      anchor = (observation, now)
      return .began
    }
    if isAway { anchor = (observation, now) }
    guard !isAway, !isFast, now - last.at >= Self.stopDuration else { return nil }
    return end(at: last.at)
  }

  /// Applies other evidence that the device is stationary.
  mutating func stop(now: Moment) -> Change? {
    guard isMoving, fastSince == nil else { return nil }
    return end(at: now)
  }

  /// Notes whether the motion is logged.
  mutating func report(_ isReported: Bool) { self.isReported = isReported }

  /// Duration of the motion, if its beginning is logged.
  func reported(now: Moment) -> Duration? { isMoving && isReported ? max(now - began, .zero) : nil }

  /// Continues a logged motion of an earlier run.
  mutating func resume(after reported: Duration, now: Moment) {
    guard !isMoving, anchor == nil else { return }
    (isMoving, isReported, began) = (true, true, now - reported)
  }

  /// Discards the position in a privacy zone.
  mutating func forgetPosition() {
    anchor = nil
    (fastSince, wasAway) = (nil, false)
  }

  private mutating func end(at moment: Moment) -> Change {
    isMoving = false
    return .ended(after: max(moment - began, .zero))
  }
}
