import Chips
import EventLoop
import Quantities
import Simulation

/// A bus of simulated chips on the clock of a loop.
public final class LiveBus: I2CBus {
  public let bus: VirtualBus
  private let loop: EventLoop

  /// Chips attached before the first transfer have had their supply for `lead`.
  public init(loop: EventLoop, lead: Duration = .zero) {
    self.loop = loop
    bus = VirtualBus(now: loop.now + (.zero - lead))
  }

  public func transfer(to address: I2CAddress, write: [UInt8], readCount: Int) throws(I2CError) -> [UInt8] {
    bus.now = loop.now
    return try bus.transfer(to: address, write: write, readCount: readCount)
  }
}
