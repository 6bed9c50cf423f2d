import Quantities

/// A simulated chip at register level: bytes in, bytes out, with an external clock.
///
/// A chip is a value, so a copy can be advanced to predict its behaviour. Times must not run backwards; an
/// earlier time counts as the latest one.
public protocol VirtualPart {
  /// Switches the supply on: every register has its power-on value.
  mutating func powerUp(at moment: Moment)
  /// Advances the simulation to a time.
  mutating func advance(to moment: Moment)
  /// Performs one transaction at the present time: writes bytes, then reads `readCount` bytes.
  mutating func transfer(write: [UInt8], readCount: Int) -> [UInt8]
  /// True if the chip asserts its interrupt or alert pin, regardless of its polarity.
  var isInterruptRaised: Bool { get }
  /// The next possible change of the pin without further transactions; nil if there is none.
  var nextStep: Moment? { get }
}

extension VirtualPart {
  /// The first change of the interrupt pin up to `limit` without further transactions; nil if there is none.
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
