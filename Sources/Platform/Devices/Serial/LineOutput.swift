import Quantities

/// The frames waiting to be written to a line, and the time at which the written ones will have left the
/// UART.
///
/// The size is bounded: a line that accepts no data is closed.
struct LineOutput: Equatable, Sendable {
  /// Maximum number of waiting bytes; all queries and settings of a receiver need a fraction of it.
  static let capacity = 8192
  /// Time without an accepted byte after which a line counts as hung.
  static let timeout = Duration.seconds(10)
  /// Added to the computed time: the driver's latency and the last byte's stop bit.
  static let margin = Duration.milliseconds(20)

  private var frames: [ArraySlice<UInt8>] = []
  private var waiting = 0
  private var isBegun = false
  private var stuckSince: Moment?
  /// The time at which everything written so far has left, computed from the baud rate.
  private var leavesAt = Moment.zero

  var isEmpty: Bool { frames.isEmpty }
  /// The remainder of the frame being written, or the next frame.
  var next: ArraySlice<UInt8>? { frames.first }
  /// The time at which a line that accepts no data counts as hung; nil while nothing waits.
  var hungAt: Moment? { stuckSince.map { $0 + Self.timeout } }

  /// Adds a frame; false if there is no room for it.
  mutating func add(_ frame: [UInt8], now: Moment) -> Bool {
    guard !frame.isEmpty else { return true }
    guard waiting + frame.count <= Self.capacity else { return false }
    if frames.isEmpty { stuckSince = now }
    frames.append(frame[...])
    waiting += frame.count
    return true
  }

  /// Records that the line accepted the first `count` bytes of ``next``. `speed` in bit/s, ten bits per byte;
  /// nil if the line has no baud rate.
  mutating func wrote(_ count: Int, speed: UInt32?, now: Moment) {
    guard count > 0, let frame = frames.first else { return }
    let count = min(count, frame.count)
    waiting -= count
    isBegun = count < frame.count
    if isBegun { frames[0] = frame.dropFirst(count) } else { frames.removeFirst() }
    stuckSince = frames.isEmpty ? nil : now
    leavesAt = max(leavesAt, now) + Self.carrying(count, speed)
  }

  /// The time to check again whether all data has left, with `unsent` bytes still in the driver. Nil if it
  /// has.
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
