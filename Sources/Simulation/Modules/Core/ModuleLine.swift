import Quantities

/// The module's transmitter: messages wait until the line has carried those before them.
struct ModuleLine: Sendable {
  private struct Message: Sendable {
    var bytes: ArraySlice<UInt8>
    var ready: Moment
    var isBegun = false
    /// The rate that is taken when it has left.
    var nextSpeed: UInt32?
  }

  /// bit/s, 10 of them a byte.
  private(set) var speed: UInt32
  private var messages: [Message] = []
  /// Waits until the messages have left.
  private var backlog: [Message] = []
  /// Sent and not fetched, with the rate of each piece.
  private var sent: [(bytes: [UInt8], speed: UInt32)] = []
  private var sentCount = 0
  /// When the byte before the next one has left.
  private var free = Moment.zero

  /// Bytes that wait at most; a message that would pass it is dropped whole.
  static let capacity = 2048
  /// Bytes that are held for a host that does not read, as much as a terminal's input queue and some.
  static let heldForHost = 65_536

  init(speed: UInt32) { self.speed = Self.clamped(speed) }

  private static func clamped(_ speed: UInt32) -> UInt32 { min(max(speed, 300), 4_000_000) }

  var isIdle: Bool { messages.isEmpty && backlog.isEmpty }
  private var waiting: Int { messages.reduce(0) { $0 + $1.bytes.count } }

  /// Lets `bytes` leave at `ready` or as soon as the line is free.
  mutating func say(_ bytes: [UInt8], ready: Moment, nextSpeed: UInt32? = nil) {
    guard waiting + bytes.count <= Self.capacity else { return }
    let later = messages.firstIndex { $0.ready > ready && !$0.isBegun } ?? messages.endIndex
    messages.insert(Message(bytes: bytes[...], ready: ready, nextSpeed: nextSpeed), at: later)
  }

  /// Lets messages leave behind all others, however many they are.
  mutating func follow(with bytes: [[UInt8]], ready: Moment) {
    backlog += bytes.map { Message(bytes: $0[...], ready: ready) }
    refill()
  }

  private mutating func refill() {
    guard messages.isEmpty, !backlog.isEmpty else { return }
    messages.append(backlog.removeFirst())
  }

  mutating func change(speed: UInt32) { self.speed = Self.clamped(speed) }
  /// Forgets what has not left, in the middle of a byte if need be.
  mutating func cut() {
    messages.removeAll()
    backlog.removeAll()
  }

  /// Now, when something waits to be fetched; otherwise the end of the next burst.
  var nextMoment: Moment? { sentCount > 0 ? free : burstEnd }

  /// When the messages that follow each other without a gap will have left.
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

  /// Sends what the line carries up to `now`.
  mutating func drain(until now: Moment) {
    while let message = messages.first {
      let start = max(free, message.ready)
      guard start < now || message.bytes.isEmpty && start <= now else { return }
      let elapsed = min((now - start).wholeNanoseconds, 100_000_000_000)
      let count = min(message.bytes.count, Int(elapsed * Int64(speed) / 10_000_000_000))
      hand(message.bytes.prefix(count))
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

  private mutating func hand(_ bytes: ArraySlice<UInt8>) {
    guard !bytes.isEmpty, sentCount + bytes.count <= Self.heldForHost else { return }
    sentCount += bytes.count
    if sent.last?.speed == speed {
      sent[sent.count - 1].bytes += bytes
    } else {
      sent.append((Array(bytes), speed))
    }
  }

  /// What has been sent, as a host at `speed` reads it.
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

  /// What `count` bytes sent at one rate look like at another.
  static func garbage(
    _ count: Int, _ sender: UInt32, _ reader: UInt32, _ random: inout SplitMix64
  ) -> [UInt8] {
    let share = min(1, Double(reader) / Double(max(sender, 1)))
    return (0..<Int(Double(count) * share)).map { _ in
      UInt8(truncatingIfNeeded: random.next()) | (reader > sender ? 0x80 : 0)
    }
  }
}
