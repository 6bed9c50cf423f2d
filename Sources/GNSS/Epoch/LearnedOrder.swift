/// A message by its kind and how many of that kind came before it in the epoch.
struct Slot: Equatable {
  var kind: MessageKind
  var ordinal: UInt8
}

/// Which message of an epoch is the last that adds anything, learned from epochs that agree.
///
/// Two epochs are enough at first. When closing at that message proves too early again and again, as with
/// sentences that are sent only every few epochs, the order is forgotten and more epochs must agree.
struct LearnedOrder {
  private(set) var last: Slot?
  private var candidate: Slot?
  private var agreeing = 0
  private var needed = fewest
  private var earlyClosings = 0
  private var goodClosings = 0

  private static let fewest = 2
  private static let most = 64
  /// Closings in time after which an early one is forgiven.
  private static let forgiving = 32

  /// An epoch was ended by the next one or by silence; `slot` was the last that added something.
  mutating func learn(_ slot: Slot?) {
    agreeing = slot == candidate ? agreeing + 1 : 1
    candidate = slot
    if let slot, agreeing >= needed { last = slot }
  }

  /// An epoch was closed at `last`; tells whether messages that would have added something came afterwards.
  @inline(__always)
  mutating func judge(cameTooEarly: Bool) {
    guard cameTooEarly else {
      goodClosings += 1
      guard goodClosings >= Self.forgiving else { return }
      goodClosings = 0
      earlyClosings = 0
      needed = Self.fewest
      return
    }
    goodClosings = 0
    earlyClosings += 1
    guard earlyClosings >= 2 else { return }
    let doubled = min(needed * 2, Self.most)
    self = LearnedOrder()
    needed = doubled
  }
}
