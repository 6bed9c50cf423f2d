import Energy
import Quantities

/// The cheapest way to wait for the next fix.
public enum SleepDepth: Equatable, Sendable {
  case stayTracking
  case cyclic
  case backup

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
}
