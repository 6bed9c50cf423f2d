import GNSSProtocol
import Quantities
import Records

/// Dates records: the clock of the device, the offset by which records without a date are dated, and a fix whose date is
/// doubtful.
public struct RecordClock: Sendable {
  /// A fix with a doubtful date, held until the next one confirms it.
  struct DoubtfulFix {
    var fix: Fix
    var timestamp: Timestamp
    var moment: Moment
    var isCredible: Bool
  }

  public private(set) var device: DeviceClock
  /// Detects that the receiver has not set the clock for long.
  private var watch = ClockWatch()
  /// UTC minus moment in ms that dates undated records.
  private(set) var datedOffset: Int64?
  /// The time since which ``datedOffset`` applies.
  private var datedAt = Moment.zero
  private(set) var doubtful: DoubtfulFix?

  init(_ bounds: DateBounds) { device = DeviceClock(bounds) }

  public var quality: ClockQuality { device.quality }
  public var offsetMilliseconds: Int64? { device.offsetMilliseconds }

  /// UTC at a moment; nil while the date is unknown.
  public func timestamp(at moment: Moment) -> Timestamp? { device.timestamp(at: moment) }

  /// UTC at a moment; nil unless the clock has run steadily.
  public func steadyTimestamp(at moment: Moment) -> Timestamp? { device.steadyTimestamp(at: moment) }

  /// The point in time of a moment: UTC, or the boot clock while the date is unknown.
  func instant(_ moment: Moment) -> Instant { timestamp(at: moment).map(Instant.utc) ?? .boot(moment) }

  /// The point in time with a date, if undated records have one.
  func dated(_ instant: Instant) -> Instant {
    datedOffset.map { instant.dated(offsetMilliseconds: $0) } ?? instant
  }

  /// Reads the clock of the receiver from an epoch.
  mutating func read(
    timestamp: Timestamp?, millisecondOfDay: Int32?, arrival: Moment, system: SystemTime
  ) -> DeviceClock.Reading {
    device.read(
      timestamp: timestamp, millisecondOfDay: millisecondOfDay, arrival: arrival, systemClock: system.utc,
      isSynchronised: system.isSynchronised)
  }

  /// The log is open: its last dated record limits the dates.
  mutating func opened(lastRecord: Timestamp?) { device.opened(lastRecord: lastRecord) }

  /// Sets the clock by another one than the receiver's; nil if the time is not credible.
  mutating func adopt(_ time: Timestamp, quality: ClockQuality, at moment: Moment) -> DeviceClock.Notice? {
    device.adopt(time, quality: quality, at: moment)
  }

  /// The date is known: undated records are dated by this offset.
  mutating func setOffset(_ offset: Int64, now: Moment) { (datedOffset, datedAt) = (offset, now) }

  /// The time that the clock has run without the receiver, once per loss and before something is dated.
  mutating func lapse(now: Moment) -> Duration? { watch.lapse(now: now) }

  /// Processes a credible date of the receiver. Returns the step in ms from the `offset` before, if the clock had been lost.
  mutating func returned(since offset: Int64?, now: Moment) -> Int64? {
    guard watch.dated(now: now), let offset, let new = offsetMilliseconds else { return nil }
    return new &- offset
  }

  /// True if the clock differs from the reported offset, by a small step or gradually, and has run steadily since.
  func isStale(now: Moment) -> Bool {
    guard let datedOffset, let offset = offsetMilliseconds else { return false }
    return (offset &- datedOffset).magnitude >= DeviceClock.noticeableStep.magnitude
      && now - datedAt >= DeviceClock.steadyTime && steadyTimestamp(at: now) != nil
  }

  /// The new offset for undated records; nil if it is the reported one.
  mutating func redate(now: Moment) -> Int64? {
    guard let offset = offsetMilliseconds, offset != datedOffset else { return nil }
    setOffset(offset, now: now)
    return offset
  }

  /// Holds a fix with a doubtful date.
  mutating func hold(_ fix: DoubtfulFix) { doubtful = fix }

  /// Returns the held fix, which is held no longer.
  mutating func release() -> DoubtfulFix? {
    defer { doubtful = nil }
    return doubtful
  }
}
