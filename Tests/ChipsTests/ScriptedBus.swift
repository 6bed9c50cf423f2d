import Chips

/// A bus that expects exactly the given transactions, in order.
final class ScriptedBus: I2CBus {
  struct Transaction: Equatable {
    var address: UInt8
    var write: [UInt8]
    var read: [UInt8] = []
    var error: I2CError?

    /// Reads `bytes` from a register onwards.
    static func read(_ address: UInt8, _ register: UInt8, _ bytes: UInt8...) -> Transaction {
      Transaction(address: address, write: [register], read: bytes)
    }

    /// Writes `bytes`, the register first.
    static func write(_ address: UInt8, _ bytes: UInt8...) -> Transaction {
      Transaction(address: address, write: bytes)
    }

    /// A failing transaction that begins with `register`.
    static func fail(_ address: UInt8, _ register: UInt8, _ error: I2CError) -> Transaction {
      Transaction(address: address, write: [register], error: error)
    }
  }

  private var script: ArraySlice<Transaction>
  var longestRead = Int.max
  /// Unexpected transactions.
  private(set) var surprises: [String] = []

  init(_ script: Transaction...) { self.script = script[...] }

  init(_ script: [Transaction]) { self.script = script[...] }

  /// True if every expected transaction has occurred, and no other.
  var isExhausted: Bool { script.isEmpty && surprises.isEmpty }

  /// A description of the deviations, for a test's message.
  var mismatches: String {
    (surprises + script.map { "never asked: \($0.write) of \($0.address)" }).joined(separator: "; ")
  }

  func transfer(to address: I2CAddress, write: [UInt8], readCount: Int) throws(I2CError) -> [UInt8] {
    guard readCount <= longestRead else {
      surprises.append("reads \(readCount) bytes of \(address) at once")
      throw .unsupported(address, transaction: "read \(readCount)")
    }
    guard let next = script.popFirst() else {
      surprises.append("not expected: \(write), \(readCount) of \(address)")
      throw .noAcknowledge(address)
    }
    if let error = next.error, next.address == address.rawValue, next.write.first == write.first {
      throw error
    }
    guard next.address == address.rawValue, next.write == write, next.read.count == readCount else {
      surprises.append("expected \(next), got \(write), \(readCount) of \(address)")
      throw .noAcknowledge(address)
    }
    return next.read
  }
}
