/// The learned order of a receiver's messages: the last one of an epoch that adds something, and the place of those
/// without a time.
struct MessageOrder {
  private var ending = LearnedOrder()
  private var untimed = UntimedOrder()
  /// True if `ending` was learned while messages without a time came first.
  private var isEndingOfLeading = false
  /// The values of RMC and GGA in the last closed epoch.
  private var lastTimed = UntimedValues()

  /// True if messages without a time precede those of their epoch that have one.
  @inline(__always)
  var untimedLead: Bool { untimed.leads }

  /// True if no message after this one usually adds something.
  @inline(__always)
  func isLast(_ slot: Slot?) -> Bool {
    guard let last = ending.last else { return false }
    return slot == last
  }

  /// Records that an epoch began with messages without a time, after silence.
  mutating func recordBurstStart() { untimed.recordBurstStart() }

  /// Records the values of VTG and GSA before the first message with a time of an epoch.
  @inline(__always)
  mutating func record(between values: UntimedValues) {
    untimed.record(between: values, earlier: lastTimed)
  }

  /// Learns from an epoch that is being closed. `timed` are its values of RMC and GGA; `wasExpected` is true if it was
  /// closed because its last message was of this order.
  @inline(__always)
  mutating func learn(timed: UntimedValues, last: Slot?, lastTimed lastTimedSlot: Slot?, wasExpected: Bool) {
    untimed.compare(later: timed)
    lastTimed = timed
    if untimed.leads != isEndingOfLeading {
      isEndingOfLeading = untimed.leads
      ending = LearnedOrder()
    } else if !wasExpected {
      ending.learn(isEndingOfLeading ? lastTimedSlot : last)
    }
  }

  /// Records an epoch that was closed by this order. `cameTooEarly` is true if later messages would have added
  /// something.
  mutating func evaluate(cameTooEarly: Bool) { ending.evaluate(cameTooEarly: cameTooEarly) }

  /// Discards the order. The values of the last epoch remain for comparison.
  mutating func reset() {
    let timed = lastTimed
    self = MessageOrder()
    lastTimed = timed
  }
}
