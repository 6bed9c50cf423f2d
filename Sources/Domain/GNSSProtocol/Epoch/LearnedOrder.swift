/// A message, identified by its kind and the number of preceding ones of that kind in the epoch.
struct Slot: Equatable {
  var kind: MessageKind
  var ordinal: UInt8
}

/// Learns the last message of an epoch that adds something, from epochs that agree.
///
/// Two epochs are enough at first. If closing at that message proves too early repeatedly, as with sentences
/// that are sent only every few epochs, the order is discarded and more epochs must agree.
struct LearnedOrder {
  private(set) var last: Slot?
  private var candidate: Slot?
  private var agreeing = 0
  private var needed = fewest
  private var earlyClosings = 0
  private var goodClosings = 0

  private static let fewest = 2
  private static let most = 64
  /// Number of correct closings after which early ones are forgiven.
  private static let forgiving = 32

  /// Records an epoch that was closed by the next one or by silence; `slot` was the last that added
  /// something.
  mutating func learn(_ slot: Slot?) {
    agreeing = slot == candidate ? agreeing + 1 : 1
    candidate = slot
    if let slot, agreeing >= needed { last = slot }
  }

  /// Records an epoch that was closed at `last`. `cameTooEarly` is true if later messages would have added
  /// something.
  @inline(__always)
  mutating func evaluate(cameTooEarly: Bool) {
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
