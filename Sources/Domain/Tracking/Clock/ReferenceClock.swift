import GNSSProtocol
import Quantities

/// Selects the times of the receiver that may discipline the system clock, and computes their offsets.
///
/// A time is selected if the receiver sent it with a possible fix, the device clock accepted it unchanged, and it agrees
/// with the previous one. The previous one must be another time, as long ago as on the boot clock.
public struct ReferenceClock: Equatable, Sendable {
  /// A time of the receiver beside the system clock.
  public struct Sample: Equatable, Sendable {
    /// The system's UTC when the first byte of the epoch arrived, in nanoseconds since 1970.
    public var systemNanoseconds: Int64
    /// The receiver's UTC minus `systemNanoseconds`, in seconds; negative by the delay of the line if the system clock is
    /// right.
    public var offset: Double

    public init(systemNanoseconds: Int64, offset: Double) {
      self.systemNanoseconds = systemNanoseconds
      self.offset = offset
    }
  }

  /// An epoch with the times at which it arrived.
  public struct Arrival: Equatable, Sendable {
    /// The latest possible time at which the first byte arrived; nil if that is not known.
    public var began: Moment?
    /// The time with which the tracker processed the epoch.
    public var processed: Moment
    /// The system's UTC in nanoseconds since 1970, and the moment at which it was read.
    public var systemNanoseconds: Int64
    public var systemMoment: Moment

    public init(began: Moment?, processed: Moment, systemNanoseconds: Int64, systemMoment: Moment) {
      self.began = began
      self.processed = processed
      self.systemNanoseconds = systemNanoseconds
      self.systemMoment = systemMoment
    }
  }

  private struct Epoch: Equatable, Sendable {
    var time: Timestamp
    var began: Moment
  }

  private var previous: Epoch?

  /// Largest difference between the elapsed times of receiver and boot clock: half the usual interval of epochs, and
  /// more than the delays of a busy host.
  static let agreement = Duration.milliseconds(500)
  /// Largest age of an epoch whose moment can still be mapped to the system clock.
  static let longestAge = Duration.seconds(10)

  public init() {}

  /// The sample of an epoch that the tracker has just processed with `clock`; nil if its time must not be used.
  public mutating func sample(of fix: Fix, _ arrival: Arrival, clock: DeviceClock) -> Sample? {
    guard let began = arrival.began, let time = Self.validTime(of: fix, at: arrival.processed, clock: clock)
    else { return nil }
    let earlier = previous
    previous = Epoch(time: time, began: began)
    guard let earlier, time != earlier.time else { return nil }
    let disagreement = (time - earlier.time) - (began - earlier.began)
    guard disagreement <= Self.agreement, disagreement >= .zero - Self.agreement else { return nil }
    let age = arrival.systemMoment - began
    guard age >= .zero, age <= Self.longestAge else { return nil }
    let system = arrival.systemNanoseconds &- age.wholeNanoseconds
    let offset = time.milliseconds &* 1_000_000 &- system
    return Sample(systemNanoseconds: system, offset: Double(offset) / 1e9)
  }

  /// The time of the fix if it is valid and the device clock shows the same: neither doubtful nor repaired.
  private static func validTime(of fix: Fix, at moment: Moment, clock: DeviceClock) -> Timestamp? {
    guard fix.position != nil, !fix.isStored, let time = fix.timestamp, clock.quality == .receiver,
      let shown = clock.timestamp(at: moment), (time.milliseconds &- shown.milliseconds).magnitude <= 1
    else { return nil }
    // In a leap second the same UTC in milliseconds occurs twice.
    guard (fix.millisecondOfDay ?? 0) < Int32(clamping: Timestamp.millisecondsPerDay) else { return nil }
    return time
  }
}
