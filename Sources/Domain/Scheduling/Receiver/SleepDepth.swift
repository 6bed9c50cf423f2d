import Energy
import Quantities

/// The state of the receiver that costs the least charge until the next fix.
public enum SleepDepth: Equatable, Sendable {
  case keepTracking
  case cyclic
  /// Backup mode by command, with time and ephemerides kept; the receiver wakes by its timer if it has one.
  case backup
  /// The supply is cut.
  case off

  /// The cheapest state for a fix every `interval`, if each start takes `timeToFix` and then tracks for `settling`.
  public static func cheapest(
    interval: Duration, timeToFix: Duration, settling: Duration, currents: ReceiverCurrents, cyclic: Bool
  ) -> SleepDepth {
    let seconds = max(interval.inSeconds, 0)
    let start = timeToFix.inSeconds
    let settled = settling.inSeconds
    let sleep =
      currents.searching * start + currents.tracking * settled
      + currents.backup * max(seconds - start - settled, 0)
    let awake = currents.tracking * seconds
    let dozing = cyclic ? (currents.cyclic ?? currents.tracking) * seconds : awake
    if sleep < min(awake, dozing), seconds > start + settled { return .backup }
    return dozing < awake ? .cyclic : .keepTracking
  }

  /// The cheaper of backup mode and a cut of the supply, for a sleep of this length; nil for an unknown length.
  /// `coldStart` is the additional search time after a cut; nil if a backup supply keeps the receiver's data.
  public static func ofPause(_ pause: Duration?, coldStart: Duration?, currents: ReceiverCurrents)
    -> SleepDepth
  {
    guard let off = currents.off, off < currents.backup else { return .backup }
    guard let coldStart, let pause else { return .off }
    let saved = (currents.backup - off) * max(pause.inSeconds, 0)
    return saved > currents.searching * coldStart.inSeconds ? .off : .backup
  }
}
