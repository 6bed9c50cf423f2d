import Quantities

/// A GNSS module on a serial line: bytes in, bytes out, with an external clock.
///
/// Times must not run backwards; an earlier time counts as the latest one. The caller calls
/// ``transmit(until:to:)`` at ``nextMoment`` or more often.
public protocol VirtualModule: Sendable {
  /// Present baud rate of its UART, also while it is off; never 0.
  var speed: UInt32 { get }
  /// The time at which its next message will have been sent; nil while it is off or sleeps without a timer.
  var nextMoment: Moment? { get }
  /// Handles bytes that the host sent at `speed`. At a baud rate other than the module's they arrive as
  /// garbage, and as edges that wake it.
  mutating func receive(_ bytes: [UInt8], at speed: UInt32, now: Moment)
  /// The data sent up to `now` and not fetched yet, as received by a host at `speed`: garbage at a different
  /// baud rate, and never more than the slower of the two rates permits.
  mutating func transmit(until now: Moment, to speed: UInt32) -> [UInt8]
  /// Switches its main supply (or the enable pin). Data survives in flash and, if it has one, in memory with
  /// a backup supply.
  mutating func setSupply(_ isOn: Bool, now: Moment)
  /// Pulses the pin that wakes it (EXTINT, WAKEUP, ON_OFF, STANDBY).
  mutating func pulseWakePin(now: Moment)
}
