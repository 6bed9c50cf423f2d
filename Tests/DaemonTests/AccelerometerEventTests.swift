import Chips
import Devices
import Records
import Testing
import TextSnapshots

@testable import Daemon

@Suite struct AccelerometerEventTests {
  static let location = PartLocation(name: "lis3dh", path: "/dev/i2c-1", address: I2CAddress(0x18))

  static let texts = TextSnapshot("events")

  static let rows: [(notice: AccelerometerNotice, value: Int64?, cause: String)] = [
    (.doubtful(samples: 64), 64, "invalid_samples"),
    (.overrun(missing: 12), 12, "overrun"),
    (.lineUnusable(.gone), nil, "interrupt_gone"),
    (.lineUnusable(.silent), nil, "interrupt_silent"),
    (.lineUnusable(.noisy), nil, "interrupt_noisy"),
  ]

  @Test(arguments: rows.indices) func faultsAreEventsThatNameTheChip(_ index: Int) throws {
    let row = Self.rows[index]
    let event = try #require(EventRecord(row.notice, of: Self.location))
    #expect(event.kind == .accelerometerDoubtful && event.value == row.value)
    #expect(event.fields.text(.cause) == row.cause && event.fields.text(.part) == Self.location.words)
    #expect(event.line == Self.texts.expected("accelerometer_doubtful \(row.cause)", event.line))
  }

  /// ENOTTY and EISDIR.
  @Test(arguments: [25, 21] as [Int32]) func aFileThatIsNoI2CBusIsReportedAsSuch(_ number: Int32) throws {
    let address = try #require(I2CAddress(0x18))
    let event = try #require(EventRecord(.lost(.bus(.system(address, errno: number))), of: Self.location))
    #expect(event.detail.contains("not an I²C bus"))
  }

  @Test func aRegisterThatReadsZeroSuggestsAStuckDataLine() throws {
    let address = try #require(I2CAddress(0x18))
    for (got, isHinted) in [(0, true), (0x44, false)] as [(UInt16, Bool)] {
      for error in [
        ChipError.settingLost(address, register: 0x30, expected: 0x2A, got: got),
        .wrongIdentity(address, register: 0x0F, expected: [0x33], got: got),
      ] {
        let event = try #require(EventRecord(.lost(error), of: Self.location))
        #expect(event.kind == .accelerometerLost)
        #expect(event.detail.contains("data line stuck low") == isHinted)
      }
    }
  }
}
