import Quantities

/// The place of one epoch in the receiver's output: its length in bytes, and the readings that contained its ends.
///
/// A reading happens some time after its bytes arrived. Both ends limit the time at which the first byte arrived, and
/// the earlier limit counts.
public struct EpochSpan: Equatable, Sendable {
  /// The time of the reading that completed the first message.
  public let opened: Moment
  /// Length of the first message in bytes.
  public let firstBytes: Int
  /// The time of the reading that completed the last message that closed the epoch.
  public let closed: Moment
  /// Bytes from the start of the first message to the end of the last one.
  public let bytes: Int

  public init(opened: Moment, firstBytes: Int, closed: Moment, bytes: Int) {
    self.opened = opened
    self.firstBytes = firstBytes
    self.closed = closed
    self.bytes = bytes
  }

  /// Most bytes that count: well above the longest epoch.
  private static let mostBytes = 1 << 20

  /// The latest possible time at which the first byte arrived on a line of `bitsPerSecond`, with ten bits a byte (8N1).
  /// Without a bit rate (nil or 0), as on USB, the bytes count as sent at once.
  public func start(bitsPerSecond: UInt32?) -> Moment {
    guard let bitsPerSecond, bitsPerSecond > 0 else { return min(opened, closed) }
    func time(of bytes: Int) -> Duration {
      .nanoseconds(Int64(min(max(bytes, 0), Self.mostBytes)) * 10_000_000_000 / Int64(bitsPerSecond))
    }
    return min(opened - time(of: firstBytes), closed - time(of: bytes))
  }
}

/// Measures the spans of epochs from the frames that open and close them.
struct EpochSpanMeter: Sendable {
  private struct Open {
    var moment: Moment
    var begin: UInt64
    var firstBytes: Int

    func span(to end: UInt64, at now: Moment) -> EpochSpan {
      EpochSpan(opened: moment, firstBytes: firstBytes, closed: now, bytes: Int(clamping: end &- begin))
    }
  }

  private var open: Open?
  /// The span of the last closed epoch; nil if no message of its own closed it.
  private(set) var last: EpochSpan?

  /// Processes a frame of the bytes `begin..<end` of the stream. The flags describe the assembler before and after it,
  /// and `closed` is the number of epochs that it closed.
  mutating func record(
    _ begin: UInt64, _ end: UInt64, at now: Moment, wasOpen: Bool, isOpen: Bool, closed: UInt64
  ) {
    guard closed > 0 || wasOpen != isOpen else { return }
    let bytes = Int(clamping: end &- begin)
    switch (wasOpen, isOpen) {
    case (false, false):
      last =
        closed == 1 ? EpochSpan(opened: now, firstBytes: bytes, closed: now, bytes: bytes) : nil
    case (true, false):
      last = closed == 1 ? open.map { $0.span(to: end, at: now) } : nil
    case (_, true):
      // A message of the next epoch closed the last one: the time of its end is not known.
      if closed > 0 { last = nil }
    }
    open = isOpen ? Open(moment: now, begin: begin, firstBytes: bytes) : nil
  }

  /// Forgets the epoch in progress and the last one, because silence closed them or the port was reopened.
  mutating func reset() {
    open = nil
    last = nil
  }
}
