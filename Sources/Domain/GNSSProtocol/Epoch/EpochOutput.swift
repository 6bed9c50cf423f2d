import Quantities

/// Counts the closed epochs and emits them, or only adds them to a summary.
struct EpochOutput: Sendable {
  /// True if every epoch is emitted as ``Reception/epoch(_:)``; otherwise it is only added to `summary`.
  var reportsEpochs = true
  /// Summary of the epochs that were not emitted.
  private(set) var summary = Summary()
  /// Number of closed epochs, and of those with a usable position.
  private(set) var epochs: UInt64 = 0
  private(set) var fixes: UInt64 = 0

  @inline(__always)
  mutating func give(_ fix: Fix, isUsable: Bool, _ emit: (Reception) -> Void) {
    epochs &+= 1
    if isUsable { fixes &+= 1 }
    if reportsEpochs {
      emit(.epoch(fix))
    } else {
      summary.add(
        fix.kind, accuracySource: fix.accuracySource, timestamp: fix.timestamp,
        millisecondOfDay: fix.millisecondOfDay)
    }
  }

  /// Adds an epoch with a usable position to the summary, without a copy of its fix.
  @inline(__always)
  mutating func count(
    _ kind: FixKind, accuracySource: AccuracySource, timestamp: Timestamp?, millisecondOfDay: Int32?
  ) {
    epochs &+= 1
    fixes &+= 1
    summary.add(
      kind, accuracySource: accuracySource, timestamp: timestamp, millisecondOfDay: millisecondOfDay)
  }
}
