import GNSSProtocol
import Quantities

/// Sorts the stored and live epochs of one batch by time, removes duplicates, and assigns every epoch the moment at
/// which it was.
///
/// The moment is derived from live epochs: they show how far the boot clock is ahead of universal time.
struct EpochOrder: Equatable, Sendable {
  /// Time before the last emitted epoch in which a stored epoch is a duplicate or arrives too late.
  static let overlap = Duration.seconds(60)
  /// Maximum time difference of two messages of one epoch.
  private static let instant = Duration.milliseconds(10)
  /// Maximum error of the uncorrected boot clock: 1/5000 (200 ppm).
  private static let drift: Int64 = 5000

  private var waiting: [Fix] = []
  private var lastTime: Timestamp?
  private var lastMoment = Moment.zero
  /// Boot clock minus universal time in ns, from the epoch with the least delay.
  private var offset: Int64?
  private var offsetFrom = Moment.zero

  var isEmpty: Bool { waiting.isEmpty }

  mutating func take(_ fix: Fix) { waiting.append(fix) }

  /// Records an epoch that was emitted as it arrived.
  mutating func recordEmitted(_ fix: Fix, at moment: Moment) {
    lastMoment = max(lastMoment, moment)
    guard let time = fix.timestamp else { return }
    lastTime = time
    record(time, at: moment)
  }

  /// Records that a decision was taken at `moment`: no later epoch is dated before it.
  mutating func decided(at moment: Moment) { lastMoment = max(lastMoment, moment) }

  /// Removes and returns the waiting epochs in order.
  mutating func release(now: Moment) -> [(fix: Fix, moment: Moment)] {
    var keyed: [(time: Timestamp?, index: Int, fix: Fix)] = []
    for fix in waiting { keyed.append((fix.timestamp ?? keyed.last?.time, keyed.count, fix)) }
    waiting = []
    if let newest = keyed.compactMap(\.time).max() { record(newest, at: now) }
    keyed.sort { a, b in
      guard let one = a.time, let other = b.time, one != other else { return a.index < b.index }
      return one < other
    }
    var released: [(fix: Fix, moment: Moment)] = []
    for (_, _, fix) in keyed where !isOld(fix) {
      lastMoment = min(max(lastMoment, moment(of: fix) ?? lastMoment), max(now, lastMoment))
      lastTime = fix.timestamp ?? lastTime
      released.append((fix, lastMoment))
    }
    return released
  }

  private func isOld(_ fix: Fix) -> Bool {
    guard let time = fix.timestamp, let lastTime else { return false }
    let behind = lastTime - time
    return behind > .zero - Self.instant && behind < Self.overlap
  }

  /// Learns the clock offset: an epoch arrives after its time, never before.
  private mutating func record(_ time: Timestamp, at moment: Moment) {
    let own = moment.nanoseconds &- time.milliseconds &* 1_000_000
    if let offset {
      let drifted = offset &+ (moment - offsetFrom).wholeNanoseconds / Self.drift
      // A receiver that corrects its clock starts a new estimate.
      self.offset = own > drifted &+ 10_000_000_000 ? own : min(own, drifted)
    } else {
      offset = own
    }
    offsetFrom = moment
  }

  private func moment(of fix: Fix) -> Moment? {
    guard let offset, let time = fix.timestamp else { return nil }
    return Moment(nanoseconds: time.milliseconds &* 1_000_000 &+ offset)
  }
}
