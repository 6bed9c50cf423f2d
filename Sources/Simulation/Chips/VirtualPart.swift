import Quantities

/// A chip at its registers: bytes in, bytes out, told the time.
///
/// A part is a value, so a copy can be run ahead to see what it will do. Times must not run back; one that does counts
/// as the latest time told.
public protocol VirtualPart {
  /// Supply comes on: every register is at its power-on value.
  mutating func powerUp(at moment: Moment)
  /// Lives on until a moment.
  mutating func advance(to moment: Moment)
  /// One transaction at the moment that it was advanced to: what is written, then `readCount` bytes read.
  mutating func transfer(write: [UInt8], readCount: Int) -> [UInt8]
  /// Whether it holds its interrupt or alert pin asserted, at whatever level that is.
  var isInterruptRaised: Bool { get }
  /// When the pin may change next, though nobody talks to the part; nil when it stays as it is.
  var nextStep: Moment? { get }
}

extension VirtualPart {
  /// The first change of the interrupt pin up to `limit` while nobody talks to the part; nil when there is none.
  public func nextInterruptChange(until limit: Moment) -> Moment? {
    var ahead = self
    var last: Moment?
    while let step = ahead.nextStep, step <= limit, last.map({ step > $0 }) ?? true {
      ahead.advance(to: step)
      if ahead.isInterruptRaised != isInterruptRaised { return step }
      last = step
    }
    return nil
  }
}
