/// Counts the satellites in view from the heads of GSV, or from NAV-SAT and NAV-SVINFO, without reading them.
///
/// Every talker gives its count once, with several groups the largest. The sentences often come behind the
/// epoch they belong to, and only every few epochs; a count is held until the next, for at most ``longest``
/// epochs.
struct SatelliteCount: Sendable {
  private var current = SIMD16<UInt8>()
  private var last = SIMD16<UInt8>()
  private var age = 0

  /// Epochs for which a count is held.
  static let longest = 10
  /// `$PQGSV`, beside the talkers of ``Talker``.
  private static let vendorSlot = 14
  private static let binarySlot = 15

  /// Satellites in view; nil while nobody says so.
  var value: Int? {
    guard current != SIMD16() || last != SIMD16() else { return nil }
    let counts = isWhole ? current : last
    if counts[Self.binarySlot] > 0 { return Int(counts[Self.binarySlot]) }
    var sum = 0
    for slot in 0..<Self.binarySlot { sum += Int(counts[slot]) }
    return sum
  }

  mutating func note(_ count: Int, talker: Talker) { note(count, slot: Int(talker.rawValue)) }
  mutating func noteVendors(_ count: Int) { note(count, slot: Self.vendorSlot) }
  mutating func noteBinary(_ count: Int) { note(count, slot: Self.binarySlot) }

  /// The next epoch begins.
  mutating func beginEpoch() {
    if current != SIMD16() {
      last = current
      current = SIMD16()
      age = 0
    } else {
      age += 1
      if age >= Self.longest { last = SIMD16() }
    }
  }

  private mutating func note(_ count: Int, slot: Int) {
    current[slot] = max(current[slot], UInt8(clamping: count))
  }

  /// Everybody who gave a count last time has given it this time.
  private var isWhole: Bool {
    for slot in 0..<16 where last[slot] > 0 && current[slot] == 0 { return false }
    return true
  }
}
