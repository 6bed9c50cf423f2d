import GNSSProtocol
import GNSSReceiver
import Quantities

/// The epochs of a batch that the receiver stored, until the last of them is there, and what waits for them:
/// inputs of the watch, decisions of the owner, and a new latency budget.
struct BatchedEpochs: Sendable {
  /// Maximum age of epochs on which a decision may be based without reading again, as when one decision leads
  /// to another.
  private static let freshness = Duration.milliseconds(100)
  private static let mostDeferred = 64
  /// Limit of the bytes that arrive before the line is read. The kernel stores what exceeds the line's buffer
  /// (tty_buffer: 64 KiB and more, 8 KiB on a pseudo-terminal), and a line without flow control is not held up.
  private static let chunkBytes = 8192
  /// The shortest wait for bytes with a known time of arrival.
  private static let shortestWait = Duration.milliseconds(20)

  private var order: EpochOrder
  private var deferredInputs: [WatchInput] = []
  /// True while the epochs are being emitted.
  private(set) var isReleasing = false
  private var releasedAt = Moment.zero
  /// True while a caller waits for the epochs that the receiver stores.
  private(set) var isCatchingUp = false
  /// The longest time that epochs may wait before they are read.
  private(set) var latencyBudget = Duration.zero
  private var sentLatencyBudget = Duration.zero

  /// `time` is UTC of the last epoch that an earlier run emitted, if the receiver has stored those since.
  init(after time: Timestamp? = nil) { order = EpochOrder(after: time) }

  // MARK: Arrival

  /// The receiver begins to send so many stored epochs.
  mutating func announced(_ count: Int, at moment: Moment) { order.announced(count, at: moment) }

  mutating func take(_ fixes: [Fix]) {
    for fix in fixes { order.take(fix) }
  }

  /// Records an epoch that was emitted as it arrived.
  mutating func recordEmitted(_ fix: Fix, at moment: Moment) { order.recordEmitted(fix, at: moment) }

  /// Defers an input of the watch until the stored epochs in transfer are emitted; false if it is not to be
  /// deferred.
  mutating func deferInput(_ input: WatchInput, isTransferring: Bool) -> Bool {
    guard isTransferring, !isReleasing else { return false }
    if case .received(let bytes, let frames) = input,
      case .received(let before, let framesBefore)? = deferredInputs.last
    {
      deferredInputs[deferredInputs.count - 1] = .received(
        bytes: before + bytes, frames: framesBefore + frames)
    } else if deferredInputs.count < Self.mostDeferred {
      deferredInputs.append(input)
    }
    return true
  }

  /// The next action on the line while the receiver stores or sends epochs. `bytesToCome` is nil while none
  /// are sent, `speed` in bit/s.
  static func nextRead(bytesToCome: Int?, speed: UInt32?, now: Moment) -> BurstPacing.NextRead {
    guard let bytesToCome, let speed, speed > 0 else { return .watch }
    let bytes = Int64(min(bytesToCome, chunkBytes))
    return .sleep(until: now + max(.nanoseconds(bytes * 10_000_000_000 / Int64(speed)), shortestWait))
  }

  // MARK: Release

  /// The epochs in order, each with the moment at which it was, and the inputs to handle after them; nil if
  /// nothing waits. The caller emits them and calls ``endRelease(now:)``.
  mutating func beginRelease(
    now: Moment
  ) -> (epochs: [(fix: Fix, moment: Moment)], inputs: [WatchInput])? {
    guard !order.isEmpty || !deferredInputs.isEmpty else { return nil }
    isReleasing = true
    defer { deferredInputs = [] }
    return (order.release(now: now), deferredInputs)
  }

  mutating func endRelease(now: Moment) {
    isReleasing = false
    releasedAt = now
  }

  // MARK: Decisions

  /// Prepares a decision that must not be based on outdated epochs. True if it needs those that the receiver
  /// stores and must wait; false if the emitted ones are fresh or are just being emitted.
  mutating func beginCatchingUp(isTransferring: Bool, now: Moment) -> Bool {
    guard !isReleasing else { return false }
    guard isTransferring || now - releasedAt >= Self.freshness else {
      order.decided(at: now)
      return false
    }
    isCatchingUp = true
    return true
  }

  /// Ends the wait of a caller; true if one waited.
  mutating func endCatchingUp() -> Bool {
    defer { isCatchingUp = false }
    return isCatchingUp
  }

  // MARK: Latency budget

  mutating func request(latencyBudget: Duration) { self.latencyBudget = latencyBudget }

  /// The latency budget that the receiver was not given yet; nil if it has it.
  mutating func newLatencyBudget() -> Duration? {
    guard latencyBudget != sentLatencyBudget else { return nil }
    sentLatencyBudget = latencyBudget
    return latencyBudget
  }
}
