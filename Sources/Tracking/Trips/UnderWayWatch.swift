import Quantities

/// Whether the device moves, by its fixes alone: for boxes on which no accelerometer tells.
///
/// It moves once it is faster than its noise for ``departure``, or once two fixes on end lie further from where it rested
/// than ``reach`` and their uncertainty. It rests once it has stayed within reach for ``stillness``, or as soon as the
/// ignition goes off, or a plan puts the receiver to sleep for want of motion, while it is not fast.
struct UnderWayWatch: Sendable {
  enum Change: Equatable, Sendable {
    case began
    case ended(after: Duration)
  }

  static let departure = Duration.seconds(10)
  static let stillness = Duration.seconds(120)
  /// m.
  static let reach = 30.0

  private(set) var isMoving = false
  /// The log has the beginning of this motion, and is to have its end.
  var isTold = false
  private var began = Moment.zero
  /// Where it rests, or was when it last left such a circle, and when that was.
  private var anchor: (sample: Sample, at: Moment)?
  private var fastSince: Moment?
  private var wasAway = false

  /// Takes a fix that passed the filters; answers what has changed by it.
  mutating func take(_ sample: Sample, now: Moment) -> Change? {
    guard let last = anchor else {
      anchor = (sample, now)
      return nil
    }
    let isFast = Odometer.isMoving(sample)
    fastSince = isFast ? fastSince ?? now : nil
    let isAway = sample.distance(to: last.sample) > Self.reach + sample.uncertainty(with: last.sample)
    defer { wasAway = isAway }
    guard isMoving else {
      guard fastSince.map({ now - $0 >= Self.departure }) == true || isAway && (wasAway || isFast) else {
        return nil
      }
      (isMoving, began) = (true, now)
      anchor = (sample, now)
      return .began
    }
    if isAway { anchor = (sample, now) }
    guard !isAway, !isFast, now - last.at >= Self.stillness else { return nil }
    return end(at: last.at)
  }

  /// Something else than a fix says that it rests.
  mutating func rest(now: Moment) -> Change? {
    guard isMoving, fastSince == nil else { return nil }
    return end(at: now)
  }

  /// How long it has moved, as far as the log knows of it.
  func told(now: Moment) -> Duration? { isMoving && isTold ? max(now - began, .zero) : nil }

  /// Goes on with a motion of an earlier run that the log knows of.
  mutating func resume(after told: Duration, now: Moment) {
    guard !isMoving, anchor == nil else { return }
    (isMoving, isTold, began) = (true, true, now - told)
  }

  /// Where it is must not be known.
  mutating func forgetPlace() {
    anchor = nil
    (fastSince, wasAway) = (nil, false)
  }

  private mutating func end(at moment: Moment) -> Change {
    isMoving = false
    return .ended(after: max(moment - began, .zero))
  }
}
