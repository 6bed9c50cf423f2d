import Quantities
import Testing
import GNSSProtocol
@testable import GNSSReceiver

/// Time and position aiding in the commands of each family.
@Suite struct DialectAidingTests {
  /// 2026-03-01T10:15:02.250Z
  static let time = Timestamp(milliseconds: 1_772_360_102_250)
  static let position = Coordinate(latitudeE7: 450_657_720, longitudeE7: -76_590_613)

  @Test func timeInUTCFromProtocol15On() {
    let command = UBX.aidTime(Self.time, accuracy: .milliseconds(1500))
    #expect(
      spaced(Array(command.bytes.dropFirst(6).dropLast(2)))
        == "10 00 00 80 EA 07 03 01 0A 0F 02 00 80 B2 E6 0E 01 00 00 00 00 65 CD 1D")
    #expect(command.reply == .aiding(id: 0x40))
  }

  @Test func positionFromProtocol15On() throws {
    let position = try #require(Self.position)
    let command = UBX.aidPosition(position, altitude: 304.6, accuracy: 25)
    #expect(
      spaced(Array(command.bytes.dropFirst(6).dropLast(2)))
        == "01 00 00 00 B8 7D DC 1A EB 51 6F FB FC 76 00 00 C4 09 00 00")
  }

  @Test func theErrorCoversAnUnknownAltitude() throws {
    let position = try #require(Self.position)
    let command = UBX.aidPosition(position, altitude: nil, accuracy: 25)
    #expect(Array(command.bytes[22..<26]) == [0x40, 0x42, 0x0F, 0])
  }

  @Test func timeBeforeProtocol15IsGPSTime() throws {
    let command = try #require(UBX.aidTimeBeforeMGA(Self.time, accuracy: .seconds(2)))
    #expect(command.bytes.count == 48 + 8)
    // 2026-03-01 is the Sunday on which week 2408 begins.
    #expect(Int(command.bytes[24]) | Int(command.bytes[25]) << 8 == 2408)
    let timeOfWeek = command.bytes[26..<30].reversed().reduce(0) { $0 << 8 | UInt32($1) }
    #expect(timeOfWeek == ((10 * 60 + 15) * 60 + 2 + 18) * 1000 + 250)
    #expect(Array(command.bytes[50..<54]) == [0x02, 0, 0, 0])
  }

  @Test func timesOutsideTheRangeAreNotSent() {
    #expect(UBX.aidTimeBeforeMGA(Timestamp(milliseconds: .min), accuracy: .zero) == nil)
    #expect(UBX.aidTimeBeforeMGA(Timestamp(milliseconds: .max), accuracy: .zero) == nil)
    #expect(Timestamp(milliseconds: .min).sentenceFields == nil)
    #expect(Timestamp(milliseconds: .max).sentenceFields == nil)
    #expect(UBX.aidTime(Timestamp(milliseconds: .max), accuracy: .seconds(-1)).bytes.count == 24 + 8)
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity, 1e300, -1e300])
  func noNumberTraps(_ value: Double) throws {
    let position = try #require(Self.position)
    #expect(UBX.aidPosition(position, altitude: value, accuracy: value).bytes.count == 20 + 8)
    for family in ReceiverFamily.allCases {
      let dialect = dialect(for: ReceiverIdentity(family: family))
      _ = dialect.aid(position: position, altitude: value, accuracy: value)
    }
  }

  /// Only bit 10 of the mask, and 1 at byte 17.
  @Test func onlyAcknowledgementsOfAidingAreSwitchedOn() {
    let bytes = CFG.acknowledgeAiding.bytes
    #expect(bytes.count == 40 + 8)
    #expect(Array(bytes[6..<10]) == [2, 0, 0x00, 0x04])
    #expect(bytes[6 + 17] == 1)
    #expect(bytes[10..<46].reduce(0) { $0 + Int($1) } == 1)
  }

  @Test func mediaTekTakesTimeAndPositionInOneCommand() throws {
    let position = try #require(Self.position)
    let dialect = MediaTekDialect(identity: ReceiverIdentity(family: .mediaTek))
    let both = dialect.aid(time: Self.time, accuracy: .seconds(1), position: position, altitude: 304.6)
    #expect(
      both?.bytes == CommandSentence.bytes("PMTK741,45.065772,-7.6590613,305,2026,03,01,10,15,02"))
    #expect(dialect.aid(time: Self.time, accuracy: .seconds(3), position: position, altitude: nil) == nil)
    for value in [Double.nan, .infinity, -1e300] {
      let bytes = dialect.aid(time: Self.time, accuracy: .zero, position: position, altitude: value)?.bytes
      #expect((bytes?.count ?? 0) < 90)
    }
  }
}
