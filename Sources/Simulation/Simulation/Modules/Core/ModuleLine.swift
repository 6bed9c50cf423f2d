import Quantities

/// The module's transmitter: each message waits until the line has sent the previous ones.
struct ModuleLine: Sendable {
  private struct Message: Sendable {
    var bytes: ArraySlice<UInt8>
    var ready: Moment
    var isBegun = false
    /// The baud rate that applies after the message was sent.
    var nextSpeed: UInt32?
  }

  /// Baud rate in bit/s, at 10 bits per byte.
  private(set) var speed: UInt32
  private var messages: [Message] = []
  /// Messages that wait until all others were sent.
  private var backlog: [Message] = []
  /// Data sent but not fetched, with the baud rate of each piece.
  private var sent: [(bytes: [UInt8], speed: UInt32)] = []
  private var sentCount = 0
  /// The time at which the previous byte has been sent.
  private var free = Moment.zero

  /// Maximum number of waiting bytes; a message that exceeds it is dropped whole.
  static let capacity = 2048
  /// Maximum number of bytes kept for a host that does not read; somewhat more than a terminal's input queue.
  static let bufferedForHost = 65_536

  init(speed: UInt32) { self.speed = Self.clamped(speed) }

  private static func clamped(_ speed: UInt32) -> UInt32 { min(max(speed, 300), 4_000_000) }

  var isIdle: Bool { messages.isEmpty && backlog.isEmpty }
  private var waiting: Int { messages.reduce(0) { $0 + $1.bytes.count } }

  /// Sends `bytes` at `ready`, or as soon as the line is free.
  mutating func send(_ bytes: [UInt8], ready: Moment, nextSpeed: UInt32? = nil) {
    guard waiting + bytes.count <= Self.capacity else { return }
    let later = messages.firstIndex { $0.ready > ready && !$0.isBegun } ?? messages.endIndex
    messages.insert(Message(bytes: bytes[...], ready: ready, nextSpeed: nextSpeed), at: later)
  }

  /// Sends messages after all others, in any number.
  mutating func follow(with bytes: [[UInt8]], ready: Moment) {
    backlog += bytes.map { Message(bytes: $0[...], ready: ready) }
    refill()
  }

  private mutating func refill() {
    guard messages.isEmpty, !backlog.isEmpty else { return }
    messages.append(backlog.removeFirst())
  }

  mutating func change(speed: UInt32) { self.speed = Self.clamped(speed) }
  /// Discards unsent output, even in the middle of a byte.
  mutating func cut() {
    messages.removeAll()
    backlog.removeAll()
  }

  /// Time at which data can be fetched: now, or the end of the next burst.
  var nextMoment: Moment? { sentCount > 0 ? free : burstEnd }

  /// The time at which a gapless burst of messages has been sent.
  var burstEnd: Moment? {
    guard let first = messages.first else { return nil }
    var end = max(free, first.ready)
    for message in messages {
      guard message.ready <= end else { break }
      end = end + carrying(message.bytes.count)
    }
    return end
  }

  private func carrying(_ count: Int) -> Duration {
    let bits = Int64(count) * 10_000_000_000
    return Duration(wholeNanoseconds: (bits + Int64(speed) - 1) / Int64(speed))
  }

  /// Sends as much as the line permits up to `now`.
  mutating func drain(until now: Moment) {
    while let message = messages.first {
      let start = max(free, message.ready)
      guard start < now || message.bytes.isEmpty && start <= now else { return }
      let elapsed = min((now - start).wholeNanoseconds, 100_000_000_000)
      let count = min(message.bytes.count, Int(elapsed * Int64(speed) / 10_000_000_000))
      deliver(message.bytes.prefix(count))
      if count > 0 { free = start + carrying(count) }
      guard count == message.bytes.count else {
        messages[0].bytes = message.bytes.dropFirst(count)
        messages[0].isBegun = message.isBegun || count > 0
        return
      }
      if let nextSpeed = message.nextSpeed { change(speed: nextSpeed) }
      messages.removeFirst()
      refill()
    }
  }

  private mutating func deliver(_ bytes: ArraySlice<UInt8>) {
    guard !bytes.isEmpty, sentCount + bytes.count <= Self.bufferedForHost else { return }
    sentCount += bytes.count
    if sent.last?.speed == speed {
      sent[sent.count - 1].bytes += bytes
    } else {
      sent.append((Array(bytes), speed))
    }
  }

  /// The sent data as received by a host at `speed`.
  mutating func fetch(at speed: UInt32, _ random: inout SplitMix64) -> [UInt8] {
    var read: [UInt8] = []
    for piece in sent {
      read +=
        piece.speed == speed ? piece.bytes : Self.garbage(piece.bytes.count, piece.speed, speed, &random)
    }
    sent.removeAll()
    sentCount = 0
    return read
  }

  /// The garbage that a host receives at a different baud rate from `count` sent bytes.
  static func garbage(
    _ count: Int, _ sender: UInt32, _ reader: UInt32, _ random: inout SplitMix64
  ) -> [UInt8] {
    let share = min(1, Double(reader) / Double(max(sender, 1)))
    return (0..<Int(Double(count) * share)).map { _ in
      UInt8(truncatingIfNeeded: random.next()) | (reader > sender ? 0x80 : 0)
    }
  }
}
