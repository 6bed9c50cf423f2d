import Quantities

/// What can be wrong with a receiver that is meant to run.
public enum Trouble: Int, Sendable, CaseIterable {
  /// Not a byte.
  case silent
  /// Bytes, but no frame with a right checksum: another speed, or a protocol that is not read.
  case unreadable
  /// Frames go on, but the receiver repeats one position or one instant.
  case frozen
  /// The time of the fixes falls back, or runs ahead of the monotonic clock.
  case impossibleTime
  /// Frames, but for long no fix.
  case withoutFix
  case antennaOpen
  case antennaShort
  /// It believes to be jammed.
  case jammed
  /// It believes that what it hears is made to deceive it.
  case spoofed
}

/// What was seen of a trouble when it began.
public enum WatchEvidence: Equatable, Sendable {
  case noBytes(since: Moment)
  case bytesWithoutFrame(Int, since: Moment)
  /// Frames, but no epoch was closed for so long.
  case noEpoch(since: Moment)
  /// The position stayed the same to the last bit at this speed or above, in m/s.
  case samePosition(speed: Double, since: Moment)
  /// Position and time stayed the same.
  case sameInstant(since: Moment)
  /// The time stayed the same while the position changed.
  case timeStopped(since: Moment)
  case timeFellBack(by: Duration)
  /// Further than the monotonic clock allows, by so much.
  case timeJumped(by: Duration)
  /// Time awake without a fix.
  case noFix(for: Duration)
  case antenna(AntennaState)
  case jamming(JammingState)
  case spoofing(SpoofingState)
}
