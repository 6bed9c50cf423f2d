import GNSSProtocol
import Quantities

/// Selects the times of the receiver that may discipline the system clock, and computes their offsets.
///
/// A time is selected if the receiver sent it with a possible fix, the device clock accepted it unchanged, and it agrees
/// with the previous one. The previous one must be another time, as long ago as on the boot clock. After a step as many
/// times must agree with each other as agreed before it, up to ``mostEvidence``.
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

    /// True if as much time has passed since the other epoch by the receiver as on the boot clock.
    func agrees(with earlier: Epoch) -> Bool {
      let elapsed = began - earlier.began
      let disagreement = (time - earlier.time) - elapsed
      let limit = ReferenceClock.agreement + elapsed / ReferenceClock.driftDivisor
      return disagreement <= limit && disagreement >= .zero - limit
    }
  }

  /// Times that agree with each other, the latest one last.
  private struct Series: Equatable, Sendable {
    var last: Epoch
    /// Number of times that agreed with the one before.
    var agreements = 0

    mutating func add(_ epoch: Epoch) {
      if epoch.time != last.time { agreements = min(agreements + 1, ReferenceClock.mostEvidence) }
      last = epoch
    }
  }

  /// The times that are selected.
  private var trusted: Series?
  /// Times after a step.
  private var challenger: Series?

  /// Largest difference between the elapsed times of receiver and boot clock: half the usual interval of epochs, and
  /// more than the delays of a busy host.
  static let agreement = Duration.milliseconds(500)
  /// The boot clock deviates by less than one part in this many: 100 ppm.
  fileprivate static let driftDivisor = 10_000
  /// Largest number of times that must agree after a step: a minute of a usual receiver.
  static let mostEvidence = 60
  /// Largest age of an epoch whose moment can still be mapped to the system clock.
  static let longestAge = Duration.seconds(10)

  public init() {}

  /// The sample of an epoch that the tracker has just processed with `clock`; nil if its time must not be used.
  public mutating func sample(of fix: Fix, _ arrival: Arrival, clock: DeviceClock) -> Sample? {
    guard let began = arrival.began, let time = Self.validTime(of: fix, at: arrival.processed, clock: clock)
    else { return nil }
    guard trusts(Epoch(time: time, began: began)) else { return nil }
    let age = arrival.systemMoment - began
    guard age >= .zero, age <= Self.longestAge else { return nil }
    let system = arrival.systemNanoseconds &- age.wholeNanoseconds
    let offset = time.milliseconds &* 1_000_000 &- system
    return Sample(systemNanoseconds: system, offset: Double(offset) / 1e9)
  }

  /// Adds an epoch. Returns true if its time is selected.
  private mutating func trusts(_ epoch: Epoch) -> Bool {
    if var series = trusted, epoch.agrees(with: series.last) {
      defer { (trusted, challenger) = (series, nil) }
      let isOther = epoch.time != series.last.time
      series.add(epoch)
      return isOther
    }
    guard var series = challenger, epoch.agrees(with: series.last) else {
      if trusted == nil { trusted = Series(last: epoch) } else { challenger = Series(last: epoch) }
      return false
    }
    let isOther = epoch.time != series.last.time
    series.add(epoch)
    guard isOther, series.agreements >= max(trusted?.agreements ?? 0, 1) else {
      challenger = series
      return false
    }
    (trusted, challenger) = (series, nil)
    return true
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
