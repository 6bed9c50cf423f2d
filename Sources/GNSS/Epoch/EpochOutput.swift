import Quantities

/// Counts the closed epochs and gives them out, or only adds them up.
struct EpochOutput: Sendable {
  /// Every epoch is given out as ``Reception/epoch(_:)``; otherwise it is only added to `summary`.
  var reportsEpochs = true
  /// The epochs that were not given out.
  private(set) var summary = Summary()
  /// Epochs closed, and those of them with a usable position.
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

  /// Adds up an epoch with a usable position that is not given out, by what is read of it.
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
