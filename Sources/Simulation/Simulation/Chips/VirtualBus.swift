import Chips
import Quantities

/// An I²C bus with simulated chips. Its owner sets the time; a transaction takes none.
public final class VirtualBus: I2CBus {
  private var seats: [I2CAddress: VirtualSeat] = [:]
  private var stuck: [Range<Moment>] = []
  private var unplugged: [Range<Moment>] = []
  private var time: Moment

  /// Number of requested transactions, including failed ones.
  public private(set) var transactions = 0
  /// Number of bytes transferred, without addresses.
  public private(set) var bytes = 0

  public init(now: Moment = .zero) { time = now }

  /// The present time; it never runs backwards.
  public var now: Moment {
    get { time }
    set { time = max(time, newValue) }
  }

  /// The limit of the kernel's `I2C_RDWR` by default; lower for a limited adapter.
  public var longestRead = longestMessage
  private static let longestMessage = 8192

  /// Puts a chip on the bus, replacing any other at that address, and switches its supply on.
  public func attach(_ part: some VirtualPart, at address: I2CAddress) {
    var part = part
    part.powerUp(at: now)
    seats[address] = VirtualSeat(part: part)
  }

  /// Leaves the next `count` transactions with an address unacknowledged.
  public func refuse(_ count: Int = 1, at address: I2CAddress) {
    seats[address]?.refusals = max(0, count)
  }

  /// Holds the clock low in this span: every transaction times out.
  public func stick(during span: Range<Moment>) { stuck.append(span) }

  /// Removes a chip in this span. It returns with power-on values, or unchanged if only its wires were
  /// disconnected.
  public func vanish(_ address: I2CAddress, during span: Range<Moment>, keepingSupply: Bool = false) {
    seats[address]?.add(VirtualSeat.Absence(span: span, keepsSupply: keepingSupply))
  }

  /// Removes the adapter in this span: no transaction is acknowledged, which is the kernel bus's mapping of
  /// ENODEV and ENXIO. The chips return with power-on values, or unchanged if they have another supply.
  public func unplug(during span: Range<Moment>, keepingSupply: Bool = false) {
    unplugged.append(span)
    for address in seats.keys { vanish(address, during: span, keepingSupply: keepingSupply) }
  }

  public func transfer(to address: I2CAddress, write: [UInt8], readCount: Int) throws(I2CError) -> [UInt8] {
    transactions &+= 1
    guard readCount >= 0, readCount <= longestRead, write.count <= Self.longestMessage else {
      throw .unsupported(address, transaction: "\(write.count) bytes written, \(readCount) bytes read")
    }
    unplugged.removeAll { $0.upperBound <= now }
    if unplugged.contains(where: { $0.contains(now) }) { throw .noAcknowledge(address) }
    stuck.removeAll { $0.upperBound <= now }
    if stuck.contains(where: { $0.contains(now) }) { throw .timedOut(address) }
    guard seats[address]?.acknowledges(at: now) == true else { throw .noAcknowledge(address) }
    bytes &+= write.count &+ readCount
    return seats[address]?.part.transfer(write: write, readCount: readCount) ?? []
  }

  /// True if the chip at an address asserts its interrupt or alert pin now.
  public func isInterruptRaised(at address: I2CAddress) -> Bool {
    seats[address]?.settle(at: now)
    return seats[address]?.isInterruptRaised(at: now) ?? false
  }

  /// The next change of a chip's interrupt pin without further transactions, not later than `limit`; nil if
  /// there is none until then.
  public func nextInterruptChange(at address: I2CAddress, until limit: Moment) -> Moment? {
    seats[address]?.settle(at: now)
    return seats[address]?.nextInterruptChange(after: now, until: limit)
  }
}
