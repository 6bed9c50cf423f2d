import Chips
import Quantities

/// An I²C bus with virtual parts on it. Its owner tells it the time; a transaction takes none.
public final class VirtualBus: I2CBus {
  private var seats: [I2CAddress: VirtualSeat] = [:]
  private var stuck: [Range<Moment>] = []
  private var unplugged: [Range<Moment>] = []
  private var time: Moment

  /// Transactions that were asked for, failed ones too.
  public private(set) var transactions = 0
  /// Bytes that went over the bus behind the addresses.
  public private(set) var bytes = 0

  public init(now: Moment = .zero) { time = now }

  /// What the time is. It does not run back.
  public var now: Moment {
    get { time }
    set { time = max(time, newValue) }
  }

  /// As much as the kernel's `I2C_RDWR` takes, unless the adapter is one that can less.
  public var longestRead = longestMessage
  private static let longestMessage = 8192

  /// Puts a part on the bus, in the place of any other at that address, and its supply comes on.
  public func attach(_ part: some VirtualPart, at address: I2CAddress) {
    var part = part
    part.powerUp(at: now)
    seats[address] = VirtualSeat(part: part)
  }

  /// The next `count` transactions with an address are not acknowledged.
  public func refuse(_ count: Int = 1, at address: I2CAddress) {
    seats[address]?.refusals = max(0, count)
  }

  /// Something holds the clock low in this span: every transaction times out.
  public func stick(during span: Range<Moment>) { stuck.append(span) }

  /// A part is away in this span. It comes back at power-on values, or as it was when only its wires were off.
  public func vanish(_ address: I2CAddress, during span: Range<Moment>, keepingSupply: Bool = false) {
    seats[address]?.add(VirtualSeat.Absence(span: span, keepsSupply: keepingSupply))
  }

  /// The adapter is gone in this span: no transaction is acknowledged, which is what the bus of the kernel makes of
  /// ENODEV and ENXIO. The parts come back at power-on values, or as they were when their supply is another one.
  public func unplug(during span: Range<Moment>, keepingSupply: Bool = false) {
    unplugged.append(span)
    for address in seats.keys { vanish(address, during: span, keepingSupply: keepingSupply) }
  }

  public func transfer(to address: I2CAddress, write: [UInt8], readCount: Int) throws(I2CError) -> [UInt8] {
    transactions &+= 1
    guard readCount >= 0, readCount <= longestRead, write.count <= Self.longestMessage else {
      throw .unsupported(address, transaction: "\(write.count) bytes out and \(readCount) bytes in")
    }
    unplugged.removeAll { $0.upperBound <= now }
    if unplugged.contains(where: { $0.contains(now) }) { throw .noAcknowledge(address) }
    stuck.removeAll { $0.upperBound <= now }
    if stuck.contains(where: { $0.contains(now) }) { throw .timedOut(address) }
    guard seats[address]?.acknowledges(at: now) == true else { throw .noAcknowledge(address) }
    bytes &+= write.count &+ readCount
    return seats[address]?.part.transfer(write: write, readCount: readCount) ?? []
  }

  /// Whether the part at an address holds its interrupt or alert pin asserted now.
  public func isInterruptRaised(at address: I2CAddress) -> Bool {
    seats[address]?.settle(at: now)
    return seats[address]?.isInterruptRaised(at: now) ?? false
  }

  /// When the interrupt pin of the part at an address changes next if nobody talks to it, not later than `limit`; nil
  /// when it stays as it is until then.
  public func nextInterruptChange(at address: I2CAddress, until limit: Moment) -> Moment? {
    seats[address]?.settle(at: now)
    return seats[address]?.nextInterruptChange(after: now, until: limit)
  }
}
