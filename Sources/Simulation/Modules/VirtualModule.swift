import Quantities

/// A GNSS module at the other end of a serial line: bytes in, bytes out, told the time.
///
/// Times must not run back; one that does counts as the latest time told. Whoever drives it asks for
/// ``transmit(until:to:)`` at ``nextMoment`` or as often as it likes.
public protocol VirtualModule: Sendable {
  /// Present rate of its UART in bit/s, also while it is off; never 0.
  var speed: UInt32 { get }
  /// When its next message will have left the line; nil while it is off or sleeps without a timer.
  var nextMoment: Moment? { get }
  /// Takes the bytes that the host sent at `speed` (the host's); at another rate than the module's they
  /// arrive as garbage, and as edges that wake.
  mutating func receive(_ bytes: [UInt8], at speed: UInt32, now: Moment)
  /// What it has sent up to `now` and nobody has fetched, as a host at `speed` reads it: garbage at another
  /// rate, and never more than the slower of the two rates carries.
  mutating func transmit(until now: Moment, to speed: UInt32) -> [UInt8]
  /// Switches its main supply (or the enable pin). What survives lies in flash and, where it has one, in
  /// memory on a backup supply.
  mutating func setSupply(_ isOn: Bool, now: Moment)
  /// A pulse on the pin that wakes it (EXTINT, WAKEUP, ON_OFF, STANDBY).
  mutating func pulseWakePin(now: Moment)
}
