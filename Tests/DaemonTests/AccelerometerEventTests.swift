import Chips
import Devices
import Records
import Testing

@testable import Daemon

@Suite struct AccelerometerEventTests {
  static let place = PartPlace(name: "lis3dh", path: "/dev/i2c-1", address: I2CAddress(0x18))

  static let rows: [(notice: AccelerometerNotice, kind: EventKind, value: Int64?, words: String)] = [
    (.doubtful(samples: 64), .accelerometerDoubtful, 64, "64 samples were thrown away"),
    (.overrun(missing: 12), .accelerometerDoubtful, 12, "12 samples were read too late"),
    (.lineUnusable(.gone), .accelerometerDoubtful, nil, "the GPIO chip of accelerometer.interrupt is gone"),
    (.lineUnusable(.silent), .accelerometerDoubtful, nil, "accelerometer.interrupt did not rise"),
    (.lineUnusable(.noisy), .accelerometerDoubtful, nil, "rises without movement"),
  ]

  @Test(arguments: rows.indices) func whatIsWrongIsAnEventThatNamesThePart(_ index: Int) throws {
    let row = Self.rows[index]
    let event = try #require(EventRecord(row.notice, of: Self.place))
    #expect(event.kind == row.kind && event.value == row.value)
    #expect(event.detail.hasPrefix("lis3dh at 0x18 of /dev/i2c-1: ") && event.detail.contains(row.words))
  }

  /// ENOTTY and EISDIR.
  @Test(arguments: [25, 21] as [Int32]) func whatIsNoBusIsSaidToBeNone(_ number: Int32) throws {
    let address = try #require(I2CAddress(0x18))
    let event = try #require(EventRecord(.lost(.bus(.system(address, errno: number))), of: Self.place))
    #expect(event.detail.contains("something else than an I²C bus"))
  }

  @Test func aRegisterThatReadsAsZeroHintsAtTheDataLine() throws {
    let address = try #require(I2CAddress(0x18))
    for (got, isHinted) in [(0, true), (0x44, false)] as [(UInt16, Bool)] {
      for error in [
        ChipError.settingLost(address, register: 0x30, expected: 0x2A, got: got),
        .wrongIdentity(address, register: 0x0F, expected: [0x33], got: got),
      ] {
        let event = try #require(EventRecord(.lost(error), of: Self.place))
        #expect(event.kind == .accelerometerLost)
        #expect(event.detail.contains("is the data line held low?") == isHinted)
      }
    }
  }
}
