import Chips
import Foundation
import Quantities
import Simulation
import System
import Testing
@testable import Devices

@Suite struct LinuxI2CBusTests {
  @Test func aDeviceThatIsNotABusIsRejectedWithTheReason() {
    #expect(throws: SystemError(call: "open", subject: "/dev/i2c-none", number: ENOENT)) {
      try LinuxI2CBus(path: "/dev/i2c-none")
    }
    #expect(throws: SystemError(call: "I2C_FUNCS", subject: "/dev/null", number: ENOTTY)) {
      try LinuxI2CBus(path: "/dev/null")
    }
  }

  @Test(arguments: [ENXIO, EREMOTEIO, ENODEV])
  func threeErrorNumbersMeanNoAcknowledge(number: Int32) throws {
    let address = try #require(I2CAddress(0x18))
    #expect(LinuxI2CBus.error(number, address) == .noAcknowledge(address))
    #expect(LinuxI2CBus.error(ETIMEDOUT, address) == .timedOut(address))
    #expect(LinuxI2CBus.error(EBUSY, address) == .system(address, errno: EBUSY))
  }

  @Test(arguments: [ENXIO, ENODEV]) func theVirtualBusReportsAnUnpluggedAdapterAlike(number: Int32) throws {
    let address = try #require(I2CAddress(0x18))
    let bus = VirtualBus()
    bus.unplug(during: .zero..<(.zero + .seconds(1)))
    #expect(throws: LinuxI2CBus.error(number, address)) {
      try bus.transfer(to: address, write: [0x0F], readCount: 1)
    }
  }

  @Test func busesAreListedByNumberWithTheirNames() throws {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: directory) }
    for (bus, name) in [
      ("i2c-10", "bcm2835 (i2c@7e804000)\n"), ("i2c-1", ""), ("i2c-x", "no"), ("other", "no"),
    ] {
      let folder = directory.appendingPathComponent(bus)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try Data(name.utf8).write(to: folder.appendingPathComponent("name"))
    }
    let found = I2CAdapter.present(under: directory.path)
    #expect(found.map(\.path) == ["/dev/i2c-1", "/dev/i2c-10"])
    #expect(found.map(\.name) == ["", "bcm2835 (i2c@7e804000)"])
    #expect(I2CAdapter.present(under: "/nowhere").isEmpty)
  }
}
