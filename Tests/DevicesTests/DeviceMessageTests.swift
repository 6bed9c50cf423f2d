import Chips
import Devices
import Glibc
import System
import Testing
import TextSnapshots

/// Messages about devices, which appear in events, log lines and status.
@Suite struct DeviceMessageTests {
  static let texts = TextSnapshot("devices")

  @Test func chipErrorsNameTheFaultAndTheRemedy() throws {
    let address = try #require(I2CAddress(0x18))
    let (mpu, gauge) = (try #require(I2CAddress(0x68)), try #require(I2CAddress(0x36)))
    let errors: [(name: String, error: ChipError)] = [
      ("no acknowledge", .bus(.noAcknowledge(address))),
      ("no bus", .bus(.system(address, errno: ENOENT))),
      ("not a bus", .bus(.system(address, errno: ENOTTY))),
      ("no permission for the bus", .bus(.system(address, errno: EACCES))),
      ("hanging bus", .bus(.timedOut(address))),
      ("kernel driver", .bus(.system(address, errno: EBUSY))),
      ("unsupported transaction", .bus(.unsupported(address, transaction: "write 1, read 14"))),
      ("short read", .bus(.shortRead(address, expected: 6, got: 2))),
      ("wrong identity", .wrongIdentity(address, register: 0x0F, expected: [0x33], got: 0x44)),
      ("a chip without a name", .wrongIdentity(address, register: 0x0F, expected: [0x33], got: 0x77)),
      ("a stuck data line", .wrongIdentity(address, register: 0x0F, expected: [0x33], got: 0)),
      ("another part", .wrongIdentity(mpu, register: 0x75, expected: [0x68], got: 0x70)),
      ("an imitation", .wrongIdentity(mpu, register: 0x75, expected: [0x68], got: 0x98)),
      ("a charge gauge", .wrongIdentity(gauge, register: 0x08, expected: [0x0011, 0x0012], got: 3)),
      ("lost setting", .settingLost(address, register: 0x30, expected: 0x2A, got: 0)),
      ("wrong checksum", .wrongChecksum(address, register: 0x09, expected: 0x21, got: 0x22)),
      ("impossible operation", .cannot(address, "a measurement within the time limit")),
    ]
    for (name, error) in errors {
      #expect(error.words == Self.texts.expected("chip: \(name)", error.words))
    }
  }

  @Test func powerSupplyFailuresNameTheFileAndTheRemedy() {
    let path = "/sys/class/power_supply/BAT0/uevent"
    let missing = SystemError(call: "open", subject: path, number: ENOENT)
    let failures: [(name: String, failure: PowerSupplyFailure)] = [
      ("missing file", .file(.system(missing))),
      ("directory", .file(.notRegular(path: path, kind: .directory))),
      ("empty file", .noAnswer(path: path)),
      ("other content", .noUevent(path: path, beginning: "DEVTYPE=power_supply.")),
      ("not a battery", .noBattery(path: path, type: "Mains")),
      ("peripheral", .ofPeripheral(path: path)),
      ("no battery inserted", .absent(path: path)),
    ]
    for (name, failure) in failures {
      let text = failure.description
      #expect(text == Self.texts.expected("power supply: \(name)", text))
    }
  }
}
