import GNSSProtocol
import Quantities

/// Sorts the stored and live epochs of one batch by time, removes duplicates, and assigns every epoch the moment at
/// which it was.
///
/// The moment is derived from live epochs: they show how far the boot clock is ahead of universal time.
struct EpochOrder: Sendable {
  /// Time before the last emitted epoch in which a stored epoch is a duplicate or arrives too late.
  static let overlap = Duration.seconds(60)
  /// Maximum time difference of two messages of one epoch.
  private static let instant = Duration.milliseconds(10)
  /// Maximum error of the uncorrected boot clock: 1/5000 (200 ppm).
  private static let drift: Int64 = 5000

  private var waiting: [Fix] = []
  /// The numbers of stored epochs that the receiver announced, and when: the last of them is not older than an interval then.
  private var announced: [(count: Int, at: Moment)] = []
  private var lastTime: Timestamp?
  /// Epochs of a receiver that stored them while the host was down are from before its start.
  private var lastMoment: Moment?
  /// Boot clock minus universal time in ns, from the epoch with the least delay.
  private var offset: Int64?
  private var offsetFrom = Moment.zero

  /// `time` is UTC of the last epoch that an earlier run emitted, if the receiver has stored those since.
  init(after time: Timestamp? = nil) { lastTime = time }

  var isEmpty: Bool { waiting.isEmpty }

  /// The receiver begins to send so many stored epochs.
  mutating func announced(_ count: Int, at moment: Moment) {
    if waiting.isEmpty { announced = [] }
    announced.append((count, moment))
  }

  mutating func take(_ fix: Fix) { waiting.append(fix) }

  /// Records an epoch that was emitted as it arrived.
  mutating func recordEmitted(_ fix: Fix, at moment: Moment) {
    decided(at: moment)
    guard let time = fix.timestamp else { return }
    lastTime = time
    record(time, at: moment)
  }

  /// Records that a decision was taken at `moment`: no later epoch is dated before it.
  mutating func decided(at moment: Moment) { lastMoment = max(lastMoment ?? moment, moment) }

  /// Removes and returns the waiting epochs in order.
  mutating func release(now: Moment) -> [(fix: Fix, moment: Moment)] {
    var keyed: [(time: Timestamp?, index: Int, fix: Fix)] = []
    for fix in waiting { keyed.append((fix.timestamp ?? keyed.last?.time, keyed.count, fix)) }
    recordAnnouncements()
    waiting = []
    if let newest = keyed.compactMap(\.time).max() { record(newest, at: now) }
    keyed.sort { a, b in
      guard let one = a.time, let other = b.time, one != other else { return a.index < b.index }
      return one < other
    }
    var released: [(fix: Fix, moment: Moment)] = []
    for (_, _, fix) in keyed where !isOld(fix) {
      let derived = min(moment(of: fix) ?? lastMoment ?? now, now)
      let moment = max(derived, lastMoment ?? derived)
      (lastMoment, lastTime) = (moment, fix.timestamp ?? lastTime)
      released.append((fix, moment))
    }
    return released
  }

  /// Learns the clock offset from the announcements: the transfer itself takes seconds.
  private mutating func recordAnnouncements() {
    let stored = waiting.filter(\.isStored)
    var count = 0
    for announcement in announced where announcement.count > 0 {
      count += announcement.count
      guard count <= stored.count, let time = stored[count - 1].timestamp else { break }
      record(time, at: announcement.at)
    }
    announced = []
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
