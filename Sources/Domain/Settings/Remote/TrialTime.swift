import Quantities

/// A time in UTC with its origin.
public struct WallTime: Equatable, Sendable {
  public var time: Timestamp
  public var quality: ClockQuality

  public init(_ time: Timestamp, _ quality: ClockQuality) { (self.time, self.quality) = (time, quality) }

  /// The worst quality with which a trial is timed across sleeps of the host. A saved time is older than the present by an
  /// unknown time.
  static let leastQuality = ClockQuality.clockChip
}

/// A time in UTC that was known at a moment.
struct KnownTime: Equatable, Sendable {
  var time: WallTime
  var at: Moment

  func time(at moment: Moment) -> WallTime { WallTime(time.time + (moment - at), time.quality) }
}

/// The time since the start of a setting trial, across restarts and halts of the host.
///
/// It is at least the time during which the host was up. A good clock at both ends shows the whole time, halts included.
public struct TrialTime: Equatable, Sendable {
  /// The longest time that a difference of clocks can mean.
  static let longest = Duration.seconds(400 * 86_400)

  /// The start; before the start of the boot clock if it is older than the boot.
  public private(set) var since: Moment
  /// The start if the host had been up ever since: the time awake counts from here.
  private(set) var awakeSince: Moment
  /// The start in UTC; nil while it is unknown.
  private(set) var start: WallTime?

  /// A trial that starts now. `wall` is the present time in UTC, if it is known.
  init(startingAt now: Moment, wall: WallTime?) {
    (since, awakeSince, start) = (now, now, wall)
  }

  /// A trial of an earlier run that has lasted for these times.
  init(lasted: Duration, awake: Duration, start: WallTime?, now: Moment) {
    since = now - lasted
    awakeSince = now - min(max(awake, .zero), lasted)
    self.start = start
  }

  func awake(now: Moment) -> Duration { now - awakeSince }

  /// Follows a clock. The time before this boot is corrected by it; that since the boot is exact.
  mutating func follow(_ wall: WallTime, now: Moment) {
    guard wall.quality >= WallTime.leastQuality else { return }
    guard since < .zero, let start, start.quality >= WallTime.leastQuality else {
      if start.map({ $0.quality < wall.quality }) ?? true {
        start = KnownTime(time: wall, at: now).time(at: since)
      }
      return
    }
    let lasted = wall.time - start.time
    // A clock that is before the start, or years after it, was set meanwhile.
    guard (.zero...Self.longest).contains(lasted) else { return }
    since = min(awakeSince, now - lasted)
  }
}
