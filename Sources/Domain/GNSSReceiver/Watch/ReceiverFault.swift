import GNSSProtocol
import Quantities

/// A fault of a receiver that is meant to run.
public enum ReceiverFault: Int, Sendable, CaseIterable {
  /// No byte arrives.
  case silent
  /// Bytes arrive, but no frame with a valid checksum: another baud rate, or an unsupported protocol.
  case unreadable
  /// Frames arrive, but the receiver repeats one position or one time.
  case frozen
  /// The time of the fixes steps back, or runs ahead of the monotonic clock.
  case impossibleTime
  /// Frames arrive, but there is no fix for a long time.
  case withoutFix
  case antennaOpen
  case antennaShort
  /// The receiver reports jamming.
  case jammed
  /// The receiver reports spoofing: it suspects false signals.
  case spoofed
}

/// The evidence of a fault at its beginning.
public enum WatchEvidence: Equatable, Sendable {
  case noBytes(since: Moment)
  case bytesWithoutFrame(Int, since: Moment)
  /// Frames, but no complete epoch since then.
  case noEpoch(since: Moment)
  /// The position was unchanged to the last bit at this speed or above, in m/s.
  case samePosition(speed: Double, since: Moment)
  /// Position and time were unchanged.
  case sameInstant(since: Moment)
  /// The time was unchanged while the position changed.
  case timeStopped(since: Moment)
  case timeFellBack(by: Duration)
  /// The time jumped ahead by this much more than the monotonic clock allows.
  case timeJumped(by: Duration)
  /// Time awake without a fix.
  case noFix(for: Duration)
  case antenna(AntennaState)
  case jamming(JammingState)
  case spoofing(SpoofingState)
}
