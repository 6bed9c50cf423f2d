/// Counts the satellites in view from the heads of GSV, or from NAV-SAT and NAV-SVINFO, without reading them.
///
/// Every talker gives its count once, with several groups the largest. The sentences often come behind the
/// epoch they belong to, and only every few epochs; a count is held until the next, for at most ``longest``
/// epochs.
struct SatelliteCount: Sendable {
  private var current = Counts()
  private var last = Counts()
  private var age = 0

  /// Epochs for which a count is held.
  static let longest = 10
  /// `$PQGSV`, beside the talkers of ``Talker``.
  private static let vendorSlot = 14
  private static let binarySlot = 15

  /// A count for each that gives one.
  private struct Counts {
    private var bySlot = SIMD16<UInt8>()
    /// A bit for each slot that has a count.
    private(set) var given: UInt16 = 0

    mutating func note(_ count: Int, slot: Int) {
      given |= 1 << UInt16(truncatingIfNeeded: slot)
      bySlot[slot] = max(bySlot[slot], UInt8(clamping: count))
    }

    var sum: Int {
      if given & 1 << UInt16(binarySlot) != 0 { return Int(bySlot[binarySlot]) }
      return Int(SIMD16<UInt16>(truncatingIfNeeded: bySlot).wrappedSum())
    }
  }

  /// Satellites in view; nil while nobody says so.
  @inline(__always)
  var value: Int? {
    guard current.given | last.given != 0 else { return nil }
    // Everybody who gave a count last time has to give it this time.
    return last.given & ~current.given == 0 ? current.sum : last.sum
  }

  mutating func note(_ count: Int, talker: Talker) { current.note(count, slot: Int(talker.rawValue)) }
  mutating func noteVendors(_ count: Int) { current.note(count, slot: Self.vendorSlot) }
  mutating func noteBinary(_ count: Int) { current.note(count, slot: Self.binarySlot) }

  /// The next epoch begins.
  @inline(__always)
  mutating func beginEpoch() {
    if current.given != 0 {
      last = current
      current = Counts()
      age = 0
    } else if last.given != 0 {
      age += 1
      if age >= Self.longest { last = Counts() }
    }
  }
}
