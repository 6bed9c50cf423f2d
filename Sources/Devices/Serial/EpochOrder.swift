import GNSS
import Quantities

/// Puts epochs that come all at once, kept ones and those that were said meanwhile, in the order of their times, each
/// once and with the moment at which it was.
///
/// The moment is found by the epochs that came when they were: how far the boot clock is ahead of universal time.
struct EpochOrder: Equatable, Sendable {
  /// A kept epoch that is older than the last one told by less than this was told with it, or comes too late.
  static let overlap = Duration.seconds(60)
  /// Two messages of one instant.
  private static let instant = Duration.milliseconds(10)
  /// The boot clock may run slow or fast by 1/5000 (200 ppm) without being corrected.
  private static let drift: Int64 = 5000

  private var waiting: [Fix] = []
  private var lastTime: Timestamp?
  private var lastMoment = Moment.zero
  /// Boot clock minus universal time, ns, by the epoch that came with the least delay.
  private var offset: Int64?
  private var offsetFrom = Moment.zero

  var isEmpty: Bool { waiting.isEmpty }

  mutating func take(_ fix: Fix) { waiting.append(fix) }

  /// An epoch was told as it came.
  mutating func told(_ fix: Fix, at moment: Moment) {
    lastMoment = max(lastMoment, moment)
    guard let time = fix.timestamp else { return }
    lastTime = time
    note(time, at: moment)
  }

  /// Something was decided at `moment`: no epoch that is still to come is put before it.
  mutating func decided(at moment: Moment) { lastMoment = max(lastMoment, moment) }

  /// What waits, in its order.
  mutating func release(now: Moment) -> [(fix: Fix, moment: Moment)] {
    var keyed: [(time: Timestamp?, index: Int, fix: Fix)] = []
    for fix in waiting { keyed.append((fix.timestamp ?? keyed.last?.time, keyed.count, fix)) }
    waiting = []
    if let newest = keyed.compactMap(\.time).max() { note(newest, at: now) }
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

  /// An epoch comes after it was, never before.
  private mutating func note(_ time: Timestamp, at moment: Moment) {
    let own = moment.nanoseconds &- time.milliseconds &* 1_000_000
    if let offset {
      let drifted = offset &+ (moment - offsetFrom).wholeNanoseconds / Self.drift
      // A receiver that corrects its clock begins anew.
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
