/// Counts the satellites in view from the headers of GSV, or from NAV-SAT and NAV-SVINFO, without decoding
/// them.
///
/// Every talker contributes its count once; of several groups, the largest. The sentences often follow the
/// epoch they belong to, and come only every few epochs; a count remains valid until the next, for at most
/// ``longest`` epochs.
struct SatelliteCount: Sendable {
  private var current = Counts()
  private var last = Counts()
  private var age = 0

  /// Number of epochs for which a count remains valid.
  static let longest = 10
  /// Index for `$PQGSV`, in addition to the talkers of ``Talker``.
  private static let vendorSlot = 14
  private static let binarySlot = 15

  /// The counts of all talkers.
  private struct Counts {
    private var bySlot = SIMD16<UInt8>()
    /// A bit for each talker that has a count.
    private(set) var given: UInt16 = 0

    mutating func record(_ count: Int, slot: Int) {
      given |= 1 << UInt16(truncatingIfNeeded: slot)
      bySlot[slot] = max(bySlot[slot], UInt8(clamping: count))
    }

    var sum: Int {
      if given & 1 << UInt16(binarySlot) != 0 { return Int(bySlot[binarySlot]) }
      return Int(SIMD16<UInt16>(truncatingIfNeeded: bySlot).wrappedSum())
    }
  }

  /// Number of satellites in view; nil if it is not reported.
  @inline(__always)
  var value: Int? {
    guard current.given | last.given != 0 else { return nil }
    // Every talker with a count last time must report it this time.
    return last.given & ~current.given == 0 ? current.sum : last.sum
  }

  mutating func record(_ count: Int, talker: Talker) { current.record(count, slot: Int(talker.rawValue)) }
  mutating func recordVendorCount(_ count: Int) { current.record(count, slot: Self.vendorSlot) }
  mutating func recordBinaryCount(_ count: Int) { current.record(count, slot: Self.binarySlot) }

  /// Begins the next epoch.
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
