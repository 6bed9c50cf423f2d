import GNSSProtocol
import Quantities

/// Holds back data that a receiver repeats from before its sleep. After a wake-up or a restart, the first
/// epoch may be incomplete and its position out of date.
struct FixGate: Equatable, Sendable {
  /// Limits for holding back: this many epochs, and this long.
  static let mostEpochs = 3
  static let longest = Duration.seconds(5)

  private var lastPosition: Position?
  private var lastTime: Timestamp?
  private var isWatching = false
  private var withheld = 0
  private var firstWithheld: Moment?
  private var isFirst = true

  private struct Position: Equatable { var latitude, longitude: Double }

  /// Starts to check the next epochs, because the receiver sleeps or restarts.
  mutating func arm() {
    isWatching = true
    withheld = 0
    firstWithheld = nil
    isFirst = true
  }

  mutating func admits(_ fix: Fix, now: Moment) -> Bool {
    let position = Self.position(of: fix)
    if isWatching, isDoubtful(fix, position), withheld < Self.mostEpochs,
      now - (firstWithheld ?? now) < Self.longest
    {
      withheld += 1
      firstWithheld = firstWithheld ?? now
      isFirst = false
      return false
    }
    // Epochs without a position are no evidence about the next one.
    if position != nil { isWatching = false }
    firstWithheld = nil
    isFirst = false
    lastPosition = position ?? lastPosition
    lastTime = fix.timestamp ?? lastTime
    return true
  }

  private func isDoubtful(_ fix: Fix, _ position: Position?) -> Bool {
    if let position, position == lastPosition { return true }
    if let time = fix.timestamp, let lastTime, time <= lastTime { return true }
    // A missing date is no evidence if the receiver has never sent one.
    return isFirst && (fix.kind == .none || fix.timestamp == nil && lastTime != nil)
  }

  private static func position(of fix: Fix) -> Position? {
    guard fix.kind != .none, let latitude = fix.latitude, let longitude = fix.longitude else { return nil }
    return Position(latitude: latitude, longitude: longitude)
  }
}
