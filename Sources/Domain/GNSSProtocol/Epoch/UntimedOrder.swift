/// The values of VTG and GSA, one each.
struct UntimedValues: Equatable {
  var speed: Double?
  var horizontalDilution: Double?
}

/// Detects if sentences without a time follow or precede the timed sentences of their epoch.
///
/// VTG repeats the speed of its RMC, and GSA the HDOP of its GGA. The sentences between the timed ones of two
/// epochs are compared with both. On a live line, silence before them is evidence, too.
struct UntimedOrder {
  private var score = 0
  private var between = UntimedValues()
  private var earlier = UntimedValues()
  private var wasCompared = true

  /// True if they precede: sentences after the last timed one belong to the next epoch.
  var leads: Bool { score >= 2 }

  /// Records that they came after silence and were immediately followed by a timed sentence.
  mutating func recordBurstStart() { score = min(score + 1, 3) }

  /// Records the values before the first timed sentence of an epoch (`between`) and those of the previous
  /// epoch (`earlier`).
  mutating func record(between: UntimedValues, earlier: UntimedValues) {
    self.between = between
    self.earlier = earlier
    wasCompared = false
  }

  /// Compares with the timed sentences of the following epoch (`later`).
  @inline(__always)
  mutating func compare(later: UntimedValues) {
    guard !wasCompared else { return }
    wasCompared = true
    vote(between.speed, earlier.speed, later.speed)
    vote(between.horizontalDilution, earlier.horizontalDilution, later.horizontalDilution)
  }

  private mutating func vote(_ value: Double?, _ earlier: Double?, _ later: Double?) {
    guard let value, let earlier, let later, earlier != later else { return }
    if value == later { score = min(score + 1, 3) }
    if value == earlier { score = max(score - 1, -3) }
  }
}
