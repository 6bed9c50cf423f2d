import Chips
import Quantities
import Simulation

/// A board on a bus that the test can inspect and disturb.
final class BoardBench<Board: VirtualPowerBoard, Chip: PowerManager>: I2CBus {
  var board: Board
  private(set) var now = Moment.zero
  private(set) var written: [UInt8] = []
  /// Transactions until some fail, and the number of those that fail then; nil without a fault.
  var failsAfter: Int?
  var failures = Int.max
  /// True if the bus hangs instead of an acknowledge that is missing.
  var hangs = false
  /// The registers of another chip that answers in place of the board.
  var other: [UInt8]?
  private(set) var writesToOther = 0
  /// Changes the answers of the board on their way.
  var change: (inout [UInt8]) -> Void = { _ in }

  init(_ board: Board) { self.board = board }

  var chip: Chip { Chip(bus: self, address: Chip.addresses[0]) }

  func pass(_ seconds: Int64) { pass(until: now + .seconds(seconds)) }

  func pass(until moment: Moment) {
    now = max(now, moment)
    board.advance(to: now)
  }

  /// Ends all faults of the bus.
  func repair() { (failsAfter, other, change) = (nil, nil, { _ in }) }

  func transfer(to address: I2CAddress, write: [UInt8], readCount: Int) throws(I2CError) -> [UInt8] {
    if let left = failsAfter {
      failsAfter = max(left - 1, 0)
      if left <= 0, failures > 0 {
        failures -= 1
        throw hangs ? .timedOut(address) : .noAcknowledge(address)
      }
    }
    if let other {
      if write.count > 1 { writesToOther += 1 }
      return (0..<readCount).map { other[(Int(write.first ?? 0) + $0) % other.count] }
    }
    if write.count > 1 { written.append(write[0]) }
    var answer = board.transfer(write: write, readCount: readCount)
    change(&answer)
    return answer
  }

  /// Runs the steps on the board, until the host goes down or stays up. `before` is called before each step.
  func run(_ request: PowerDown.Request, before: (PowerDown.Step) -> Void = { _ in }) -> PowerDown.Action? {
    var sequence = PowerDown(request, on: chip)
    var action: PowerDown.Action? = sequence.begin()
    for _ in 0..<200 {
      switch action {
      case .perform(let step):
        before(step)
        action = sequence.take(step.perform(on: chip), now: now)
      case .wait(let until):
        pass(until: until)
        action = sequence.handleTimeout(now: now)
      case .goDown, .stayUp, nil: return action
      }
    }
    return nil
  }
}

typealias WittyPi4Bench = BoardBench<VirtualWittyPi4, WittyPi4>
typealias PiJuiceBench = BoardBench<VirtualPiJuice, PiJuice>
typealias PiSugar3Bench = BoardBench<VirtualPiSugar3, PiSugar3>

extension BoardBench where Board == VirtualWittyPi4 {
  convenience init() { self.init(VirtualWittyPi4()) }
}

extension BoardBench where Board == VirtualPiJuice {
  convenience init() { self.init(VirtualPiJuice()) }
}

extension BoardBench where Board == VirtualPiSugar3 {
  convenience init() { self.init(VirtualPiSugar3()) }
}
