import Testing

import Chips

@Suite struct I2CSurveyTests {
  /// Some chips at register level, and addresses that fail.
  private final class Board: I2CBus {
    var parts: [UInt8: [UInt8: [UInt8]]] = [:]
    var faults: [UInt8: I2CError] = [:]
    private(set) var asked: Set<UInt8> = []
    private(set) var writes = 0

    func transfer(to address: I2CAddress, write: [UInt8], readCount: Int) throws(I2CError) -> [UInt8] {
      asked.insert(address.rawValue)
      if write.count > 1 { writes += 1 }
      if let fault = faults[address.rawValue] { throw fault }
      guard let registers = parts[address.rawValue] else { throw .noAcknowledge(address) }
      let known = write.first.flatMap { registers[$0] } ?? []
      return (0..<readCount).map { $0 < known.count ? known[$0] : 0 }
    }
  }

  private func address(_ raw: UInt8) throws -> I2CAddress { try #require(I2CAddress(raw)) }

  @Test func chipsAreNamedByTheirIdentityAndOthersAreListed() throws {
    let board = Board()
    // WHO_AM_I of the LIS3DH and LIS2DH12, VERSION of the MAX17048, identity and firmware of the Witty Pi 4, firmware of the
    // PiJuice, type, mode and firmware of the PiSugar 3.
    board.parts = [
      0x08: [0: [0x26], 12: [7]], 0x14: [0xFD: [0x16, 0x00, 0xE9]], 0x18: [0x0F: [0x33]],
      0x36: [0x08: [0x00, 0x12]], 0x50: [:],
      0x57: [0: [3], 1: [0x0F], 0xE2: [0x31], 0xE3: [0x2E], 0xE4: [0x33], 0xE5: [0x2E], 0xE6: [0x34]],
    ]
    let busy = I2CError.system(try address(0x68), errno: 16)
    board.faults = [0x68: busy]
    let found = I2CSurvey.of(board)
    #expect(found.map(\.address.rawValue) == [0x08, 0x14, 0x18, 0x36, 0x50, 0x57, 0x68])
    #expect(found.first?.finding == .parts(["witty-pi-4"]))
    #expect(found.dropFirst().first?.finding == .parts(["pijuice"]), "gauge and power manager")
    #expect(found.dropFirst(2).first?.finding == .parts(["lis3dh", "lis2dh12"]))
    #expect(found.dropFirst(3).first?.finding == .parts(["max17048", "max17049"]))
    #expect(found.dropFirst(4).first?.finding == .unknown)
    #expect(found.dropFirst(5).first?.finding == .parts(["pisugar-3"]), "gauge and power manager")
    #expect(found.last?.finding == .fault(busy))
    #expect(board.asked.count == I2CAddress.devices.count && board.writes == 0)
  }

  /// A sensor with a command interface: foreign register addresses are not acknowledged.
  @Test func aChipThatRejectsForeignRegistersIsListed() throws {
    final class Choosy: I2CBus {
      func transfer(to address: I2CAddress, write: [UInt8], readCount: Int) throws(I2CError) -> [UInt8] {
        guard address.rawValue == 0x40, write.isEmpty else { throw .noAcknowledge(address) }
        return [UInt8](repeating: 0, count: readCount)
      }
    }
    let found = I2CSurvey.of(Choosy())
    #expect(found.map(\.address.rawValue) == [0x40] && found.map(\.finding) == [.unknown])
  }

  @Test func aHangingBusEndsTheSurvey() throws {
    let board = Board()
    let hung = I2CError.timedOut(try address(0x20))
    board.faults = [0x20: hung]
    let found = I2CSurvey.of(board)
    #expect(found.map(\.finding) == [.fault(hung)])
    #expect(board.asked.max() == 0x20)
  }

  @Test func anEmptyBusHasNothing() { #expect(I2CSurvey.of(Board()).isEmpty) }
}
