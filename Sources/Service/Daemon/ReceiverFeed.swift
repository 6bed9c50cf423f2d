import GNSSReport

/// The messages and satellites of the receiver that clients are shown, held back until no position in them can be in a
/// privacy zone.
///
/// The messages of an epoch arrive before its position is known. With privacy zones they are therefore passed on once
/// an epoch after them was outside of all zones: those of a wake-up that completed an epoch can contain the beginning
/// of the next one, and wait for that. An epoch inside discards everything that waits. Without privacy zones everything is
/// passed on at the end of its wake-up.
struct ReceiverFeed {
  /// What clients are shown.
  enum Item: Equatable {
    case message(RawMessage)
    /// A SKY object.
    case satellites([UInt8])

    fileprivate var isMessage: Bool { if case .message = self { true } else { false } }

    fileprivate var size: Int {
      switch self {
      case .message(let message): message.size
      case .satellites(let sky): sky.count
      }
    }
  }

  /// The most bytes that wait; the oldest items are discarded.
  static let limit = 32_768

  private var lines: RawLines?
  /// Items of earlier wake-ups, and of this one.
  private var earlier: [Item] = []
  private var present: [Item] = []
  /// The epochs of this wake-up.
  private var hasEpoch = false
  private var hasPrivateEpoch = false

  /// True while the messages are shown.
  var showsMessages: Bool { lines != nil }

  /// Begins or ends to show the messages.
  mutating func showMessages(_ isWanted: Bool) {
    guard isWanted != showsMessages else { return }
    lines = isWanted ? RawLines() : nil
    guard !isWanted else { return }
    earlier.removeAll(where: \.isMessage)
    present.removeAll(where: \.isMessage)
  }

  /// Takes bytes of the receiver.
  mutating func take(_ bytes: UnsafeRawBufferPointer) {
    var messages: [Item] = []
    lines?.take(bytes) { messages.append(.message($0)) }
    present += messages
    bound()
  }

  /// Takes a SKY object.
  mutating func take(satellites sky: [UInt8]) {
    present.append(.satellites(sky))
    bound()
  }

  /// An epoch was processed.
  mutating func epoch(isPrivate: Bool) {
    hasEpoch = true
    if isPrivate { hasPrivateEpoch = true }
  }

  /// Ends a wake-up and returns what may be shown. `hasZones` is true with privacy zones; `isPrivate` is true while the
  /// device is in one.
  mutating func endWakeUp(hasZones: Bool, isPrivate: Bool) -> [Item] {
    defer { (hasEpoch, hasPrivateEpoch) = (false, false) }
    guard !earlier.isEmpty || !present.isEmpty else { return [] }
    if hasZones, isPrivate || hasPrivateEpoch {
      (earlier, present) = ([], [])
      return []
    }
    if !hasZones || hasEpoch {
      let shown = hasZones ? earlier : earlier + present
      (earlier, present) = (hasZones ? present : [], [])
      return shown
    }
    earlier += present
    present = []
    return []
  }

  private mutating func bound() {
    var size = (earlier + present).reduce(0) { $0 + $1.size }
    while size > Self.limit, let first = earlier.first ?? present.first {
      size -= first.size
      if earlier.isEmpty { present.removeFirst() } else { earlier.removeFirst() }
    }
  }
}
