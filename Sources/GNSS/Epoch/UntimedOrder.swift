/// What VTG and GSA said, once each.
struct UntimedValues: Equatable {
  var speed: Double?
  var horizontalDilution: Double?
}

/// Finds out whether the sentences without a time follow the timed ones of their epoch or go before them.
///
/// VTG repeats the speed of its RMC and GSA the HDOP of its GGA. What stands between the timed sentences of
/// two epochs is compared with both. On a live line a silence before them tells it too.
struct UntimedOrder {
  private var score = 0
  private var between = UntimedValues()
  private var earlier = UntimedValues()
  private var wasCompared = true

  /// They go before: what comes after the last timed sentence belongs to the next epoch.
  var leads: Bool { score >= 2 }

  /// They came after a silence and a timed sentence followed at once.
  mutating func noteBurstBegan() { score = min(score + 1, 3) }

  /// `between` stood before the first timed sentence of an epoch, `earlier` is what the epoch before it said.
  mutating func note(between: UntimedValues, earlier: UntimedValues) {
    self.between = between
    self.earlier = earlier
    wasCompared = false
  }

  /// The epoch that followed said `later` in its timed sentences.
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
