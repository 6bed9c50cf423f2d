/// Collects the messages of one epoch: their values, and which of them added one.
struct EpochCollector {
  /// The values so far. They remain after the end of the epoch until ``begin()``.
  private(set) var epoch = Epoch()
  /// The last message that added or changed a value, and the last such message with a time.
  private(set) var lastSlot: Slot?
  private(set) var lastTimedSlot: Slot?
  /// True if a message that came after the end of the epoch added or changed a value.
  private(set) var wasIncomplete = false
  private var supplied: Supplies = []
  /// Number of messages of each kind.
  private var seen = SIMD32<UInt8>()

  /// Discards the messages and begins an epoch without a time.
  mutating func begin() {
    epoch = Epoch()
    (lastSlot, lastTimedSlot) = (nil, nil)
    wasIncomplete = false
    supplied = []
    seen = SIMD32()
  }

  /// Sets the time that identifies the epoch.
  @inline(__always)
  mutating func identify(by time: EpochTime) { epoch.time = time }

  /// Adds a message of the open epoch.
  @inline(__always)
  mutating func add<Message: EpochSentence>(_ message: Message) {
    let index = Int(Message.kind.rawValue)
    let slot = Slot(kind: Message.kind, ordinal: seen[index])
    seen[index] &+= 1
    guard contributes(message) else { return }
    lastSlot = slot
    if Message.isTimed { lastTimedSlot = slot }
  }

  /// Adds a message that came after the end of the epoch.
  @inline(__always)
  mutating func addLate<Message: EpochSentence>(_ message: Message) {
    if contributes(message) { wasIncomplete = true }
  }

  /// Adds the message; true if it contributed a new kind of value or changed one.
  private mutating func contributes<Message: EpochSentence>(_ message: Message) -> Bool {
    let hasChanged = epoch.add(message)
    let isNew = !Message.supplies.isSubset(of: supplied)
    supplied.formUnion(Message.supplies)
    // Beside a binary solution, sentences change only the dilutions of the fix.
    return isNew || hasChanged && (Message.isBinary || !epoch.isBinary)
  }

  /// Returns and removes the values of VTG and GSA since the last message with a time.
  @inline(__always)
  mutating func takeUntimed() -> UntimedValues {
    defer { epoch.untimed = UntimedValues() }
    return epoch.untimed
  }

  /// True if the epoch has a message of this kind.
  @inline(__always)
  func hasMessage(of kind: MessageKind) -> Bool { seen[Int(kind.rawValue)] > 0 }

  /// True if the epoch can be reported: it has a time or a usable position.
  @inline(__always)
  var isReportable: Bool { epoch.time != nil || epoch.hasUsablePosition }

  /// Completes a copy of the fix for output. `day` (since 1970-01-01) is that of its time; `isRepetition` withdraws the
  /// position.
  @inline(__always)
  mutating func settle(_ fix: inout Fix, day: Int?, isRepetition: Bool) {
    epoch.settle(&fix, day: day, isRepetition: isRepetition)
  }
}
