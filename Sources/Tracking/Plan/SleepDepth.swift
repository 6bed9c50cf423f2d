import Energy
import Quantities

/// The cheapest way to wait for the next fix.
public enum SleepDepth: Equatable, Sendable {
  case stayTracking
  case cyclic
  /// By a command, with time and ephemerides alive; where the receiver has a timer it wakes by that.
  case backup
  /// Its supply is cut.
  case off

  /// The cheapest for a fix every `interval`, when each start takes `timeToFix` and then tracks for `settling`.
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
    return dozing < awake ? .cyclic : .stayTracking
  }

  /// The cheaper of sleep and a cut of the supply for a pause of this length; nil: for as long as it takes. `coldStart`
  /// tells how much longer the next search is after a cut; nil where a backup supply keeps what the receiver knows.
  public static func ofPause(_ pause: Duration?, coldStart: Duration?, currents: ReceiverCurrents)
    -> SleepDepth
  {
    guard let off = currents.off, off < currents.backup else { return .backup }
    guard let coldStart, let pause else { return .off }
    let saved = (currents.backup - off) * max(pause.inSeconds, 0)
    return saved > currents.searching * coldStart.inSeconds ? .off : .backup
  }
}
