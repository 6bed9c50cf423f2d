import Quantities

/// What waits to be written to a line, frame by frame, and when the written will have left the UART.
///
/// Bounded: a line that takes nothing is given up.
struct LineOutput: Equatable, Sendable {
  /// Bytes that wait at most; all questions and settings of a receiver are a fraction of it.
  static let capacity = 8192
  /// A line that takes no byte for so long is hung.
  static let patience = Duration.seconds(10)
  /// Added to the arithmetic: what the driver needs to hand over, and the last byte's stop bit.
  static let margin = Duration.milliseconds(20)

  private var frames: [ArraySlice<UInt8>] = []
  private var waiting = 0
  private var isBegun = false
  private var stuckSince: Moment?
  /// When everything written so far has left, as the speed tells.
  private var leavesAt = Moment.zero

  var isEmpty: Bool { frames.isEmpty }
  /// The rest of the frame at work, or the next one.
  var next: ArraySlice<UInt8>? { frames.first }
  /// When a line that takes nothing is hung; nil while nothing waits.
  var hungAt: Moment? { stuckSince.map { $0 + Self.patience } }

  /// False when there is no room for it.
  mutating func add(_ frame: [UInt8], now: Moment) -> Bool {
    guard !frame.isEmpty else { return true }
    guard waiting + frame.count <= Self.capacity else { return false }
    if frames.isEmpty { stuckSince = now }
    frames.append(frame[...])
    waiting += frame.count
    return true
  }

  /// The line took the first `count` bytes of ``next``. `speed` in bit/s, ten of them a byte; nil where the line
  /// has none.
  mutating func wrote(_ count: Int, speed: UInt32?, now: Moment) {
    guard count > 0, let frame = frames.first else { return }
    let count = min(count, frame.count)
    waiting -= count
    isBegun = count < frame.count
    if isBegun { frames[0] = frame.dropFirst(count) } else { frames.removeFirst() }
    stuckSince = frames.isEmpty ? nil : now
    leavesAt = max(leavesAt, now) + Self.carrying(count, speed)
  }

  /// When to look whether everything has left: `unsent` bytes are still with the driver. Nil: it has.
  func drained(unsent: Int, speed: UInt32?, now: Moment) -> Moment? {
    let expected = leavesAt + Self.margin
    guard now >= expected else { return expected }
    return unsent > 0 ? now + Self.carrying(unsent, speed) + Self.margin : nil
  }

  /// Drops the frames of which no byte was written.
  mutating func dropUnbegun() {
    frames = isBegun ? Array(frames.prefix(1)) : []
    waiting = frames.first?.count ?? 0
    if frames.isEmpty { stuckSince = nil }
  }

  private static func carrying(_ count: Int, _ speed: UInt32?) -> Duration {
    guard let speed, speed > 0 else { return .zero }
    return .nanoseconds(Int64(min(count, Self.capacity)) * 10_000_000_000 / Int64(speed))
  }
}
