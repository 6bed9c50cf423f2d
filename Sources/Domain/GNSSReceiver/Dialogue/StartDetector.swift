import GNSSProtocol
import Quantities

/// Detects starts of the receiver that were not requested, and holds back the fixes after any start.
struct StartDetector: Sendable {
  /// Start announcements within this time belong to one start.
  static let oneStart = Duration.seconds(5)
  /// Uptime in milliseconds above which the counter may wrap to 0 before the next poll.
  static let latestUptime = UInt32.max - 3_600_000

  private var gate = FixGate()
  private var lastStart: Moment?
  private var lastUptime: UInt32?

  /// Checks the next fixes, because the receiver sleeps, starts or is another one.
  mutating func expect() { gate.arm() }

  /// True if a fix is to be kept. Call it once for each epoch, in order.
  mutating func admits(_ fix: Fix, now: Moment) -> Bool { gate.admits(fix, now: now) }

  /// Forgets the uptime, because after a search or a sleep a smaller one proves no restart.
  mutating func forgetUptime() { lastUptime = nil }

  /// Records a requested start or wake-up; the announcement that follows belongs to it.
  mutating func recordRequestedStart(now: Moment) {
    lastStart = now
    lastUptime = nil
  }

  /// Handles the answer of a receiver that is only read: a start affects the fixes alone.
  mutating func noteAnnouncement(_ answer: ReceiverAnswer) {
    if case .started = answer { expect() }
  }

  /// True if `answer` shows a start that was not requested: announced, or shown by a smaller uptime. The
  /// announcements of one start count once.
  mutating func detectRestart(in answer: ReceiverAnswer, now: Moment) -> Bool {
    switch answer {
    case .started: break
    case .sinceStart(_, let uptime):
      let hasFallen = lastUptime.map { uptime < $0 && $0 < Self.latestUptime } ?? false
      lastUptime = uptime
      guard hasFallen else { return false }
    case .acknowledge, .pmtk, .pair, .pqtm, .casic, .version, .savedState, .aiding, .antenna, .jamming,
      .spoofing, .batch, .storedEpoch, .errorText, .foreign:
      return false
    }
    expect()
    if let lastStart, now - lastStart < Self.oneStart { return false }
    lastStart = now
    return true
  }
}
