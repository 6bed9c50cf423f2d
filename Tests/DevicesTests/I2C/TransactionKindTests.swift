import Testing

@testable import Devices

@Suite struct TransactionKindTests {
  struct Case: Sendable {
    let written: Int
    let read: Int
    let adapter: I2CFunctionality
    let kind: TransactionKind?
  }

  static let all: I2CFunctionality = [
    .i2c, .readByte, .writeByte, .readByteData, .writeByteData, .readWordData, .writeWordData, .readBlock,
    .writeBlock,
  ]
  /// The functionality of the kernel's i2c-stub: no I²C messages.
  static let stub = all.subtracting(.i2c)

  static let cases: [Case] = [
    Case(written: 1, read: 1, adapter: all, kind: .readByteData),
    Case(written: 1, read: 2, adapter: all, kind: .readWordData),
    Case(written: 1, read: 6, adapter: all, kind: .readBlock),
    Case(written: 1, read: 32, adapter: all, kind: .readBlock),
    Case(written: 1, read: 33, adapter: all, kind: .combined),
    Case(written: 1, read: 192, adapter: all, kind: .combined),
    Case(written: 2, read: 0, adapter: all, kind: .writeByteData),
    Case(written: 3, read: 0, adapter: all, kind: .writeWordData),
    Case(written: 33, read: 0, adapter: all, kind: .writeBlock),
    Case(written: 34, read: 0, adapter: all, kind: .combined),
    Case(written: 2, read: 2, adapter: all, kind: .combined),
    Case(written: 0, read: 1, adapter: all, kind: .readByte),
    Case(written: 1, read: 0, adapter: all, kind: .writeByte),
    Case(written: 1, read: 33, adapter: stub, kind: nil),
    Case(written: 2, read: 2, adapter: stub, kind: nil),
    Case(written: 1, read: 32, adapter: stub, kind: .readBlock),
    Case(written: 1, read: 1, adapter: .i2c, kind: .combined),
    Case(written: 2, read: 0, adapter: .i2c, kind: .combined),
    Case(written: 1, read: 2, adapter: [.readBlock], kind: .readBlock),
    Case(written: 1, read: 8193, adapter: all, kind: nil),
    Case(written: 0, read: 0, adapter: all, kind: nil),
    Case(written: -1, read: 1, adapter: all, kind: nil),
    Case(written: 1, read: 1, adapter: [], kind: nil),
  ]

  @Test(arguments: cases)
  func onlySupportedTransactionsAreUsed(_ example: Case) {
    #expect(
      TransactionKind.of(written: example.written, read: example.read, on: example.adapter) == example.kind)
  }

  @Test func theLongestReadIsThatOfTheAdapter() {
    #expect(TransactionKind.longestRead(on: Self.all) == 8192)
    #expect(TransactionKind.longestRead(on: Self.stub) == 32)
    #expect(TransactionKind.longestRead(on: [.readWordData]) == 2)
    #expect(TransactionKind.longestRead(on: []) == 1)
  }
}
