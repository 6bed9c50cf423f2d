import Formats
import Foundation
import Quantities
import Records
import Testing

@Suite struct OverlandFeatureTests {
  static let time = Timestamp(milliseconds: 1_772_360_102_999)

  /// The example of the protocol: a van on the road.
  static func van() -> LocationRecord? {
    guard let coordinate = Coordinate(latitudeE7: 525_418_194, longitudeE7: 133_619_121) else { return nil }
    var van = LocationRecord(coordinate: coordinate, deviceID: "van-7")
    van.altitudeMillimetres = 38_700
    van.speedMillimetresPerSecond = 13_479
    van.courseMillidegrees = 86_900
    van.horizontalAccuracyMillimetres = 4_200
    van.verticalAccuracyMillimetres = 6_500
    van.speedAccuracyMillimetresPerSecond = 319
    van.courseAccuracyMillidegrees = 1_750
    van.motion = .driving
    van.batteryState = .full
    van.batteryPercent = 100
    return van
  }

  static func text(_ change: (inout LocationRecord) -> Void) throws -> String {
    var record = try #require(van())
    change(&record)
    var text: [UInt8] = []
    OverlandFeature(record, time: time).append(to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  @Test func theWorkedExampleIsWrittenByteForByte() throws {
    let text = try Self.text { _ in }
    #expect(
      text == #"{"type":"Feature","geometry":{"type":"Point","coordinates":[13.3619121,52.5418194]},"#
        + #""properties":{"timestamp":"2026-03-01T10:15:02Z","altitude":39,"speed":13.47,"course":87,"#
        + #""horizontal_accuracy":4,"vertical_accuracy":7,"speed_accuracy":0.31,"course_accuracy":1.75,"#
        + #""motion":["driving"],"device_id":"van-7","wifi":"","battery_state":"full","battery_level":1}}"#)
  }

  @Test func aPositionAloneHasEveryProperty() throws {
    let coordinate = try #require(Coordinate(latitudeE7: -1, longitudeE7: 1_800_000_000))
    var text: [UInt8] = []
    OverlandFeature(LocationRecord(coordinate: coordinate, deviceID: ""), time: Self.time).append(to: &text)
    #expect(
      String(decoding: text, as: UTF8.self)
        == #"{"type":"Feature","geometry":{"type":"Point","coordinates":[180,-0.0000001]},"#
        + #""properties":{"timestamp":"2026-03-01T10:15:02Z","altitude":0,"speed":-1,"course":-1,"#
        + #""horizontal_accuracy":100,"vertical_accuracy":-1,"speed_accuracy":-1,"course_accuracy":-1,"#
        + #""motion":[],"device_id":"","wifi":"","battery_state":"unknown","battery_level":-1}}"#)
  }

  struct Case: Sendable, CustomTestStringConvertible {
    let expected: String
    let change: @Sendable (inout LocationRecord) -> Void
    init(_ expected: String, _ change: @escaping @Sendable (inout LocationRecord) -> Void) {
      self.expected = expected
      self.change = change
    }
    var testDescription: String { expected }
  }

  static let cases = [
    Case(#""altitude":35,"#) { $0.altitudeMillimetres = 34_500 },
    Case(#""altitude":34,"#) { $0.altitudeMillimetres = 34_499 },
    Case(#""altitude":-1,"#) { $0.altitudeMillimetres = -500 },
    Case(#""altitude":0,"#) { $0.altitudeMillimetres = -499 },
    Case(#""altitude":-2147484,"#) { $0.altitudeMillimetres = .min },
    Case(#""altitude":0,"speed":13.47,"course":87,"horizontal_accuracy":4,"vertical_accuracy":-1,"#) {
      $0.altitudeMillimetres = nil
    },
    Case(#""speed":1.99,"#) { $0.speedMillimetresPerSecond = 1_999 },
    Case(#""speed":0.8,"#) { $0.speedMillimetresPerSecond = 800 },
    Case(#""speed":0,"#) { $0.speedMillimetresPerSecond = 9 },
    Case(#""speed":-1,"#) { $0.speedMillimetresPerSecond = -3 },
    Case(#""speed":2147483.64,"#) { $0.speedMillimetresPerSecond = .max },
    Case(#""course":360,"#) { $0.courseMillidegrees = 359_600 },
    Case(#""course":0,"#) { $0.courseMillidegrees = 499 },
    Case(#""horizontal_accuracy":1,"#) { $0.horizontalAccuracyMillimetres = 0 },
    Case(#""horizontal_accuracy":1,"#) { $0.horizontalAccuracyMillimetres = 499 },
    Case(#""horizontal_accuracy":2,"#) { $0.horizontalAccuracyMillimetres = 1_500 },
    Case(#""horizontal_accuracy":100,"#) { $0.horizontalAccuracyMillimetres = -1 },
    Case(#""vertical_accuracy":0,"#) { $0.verticalAccuracyMillimetres = 400 },
    Case(#""speed_accuracy":999.99,"#) { $0.speedAccuracyMillimetresPerSecond = .max },
    Case(#""course_accuracy":179.99,"#) { $0.courseAccuracyMillidegrees = 179_999 },
    Case(#""motion":["driving","stationary"],"#) { $0.motion = [.stationary, .driving] },
    Case(#""motion":["walking","running","cycling","driving","stationary"],"#) {
      $0.motion = .init(rawValue: 255)
    },
    Case(#""battery_state":"unplugged","battery_level":0.29}"#) {
      $0.batteryState = .unplugged
      $0.batteryPercent = 29
    },
    Case(#""battery_level":0.8}"#) { $0.batteryPercent = 80 },
    Case(#""battery_level":0}"#) { $0.batteryPercent = 0 },
    Case(#""battery_level":1}"#) { $0.batteryPercent = 255 },
    Case(#""device_id":"a\"b\\c\u0001\n\u007fé🚲","wifi":"\t","#) {
      $0.deviceID = "a\"b\\c\u{1}\n\u{7F}é🚲"
      $0.wifi = "\t"
    },
    Case(#""coordinates":[-0.5,-33.8567889]"#) {
      if let coordinate = Coordinate(latitudeE7: -338_567_889, longitudeE7: -5_000_000) {
        $0.coordinate = coordinate
      }
    },
  ]

  @Test(arguments: cases)
  func valuesAreRoundedOrCutAsTheProtocolSays(_ value: Case) throws {
    let text = try Self.text(value.change)
    #expect(text.contains(value.expected), "\(text)")
  }

  @Test func everyCharacterOfANameSurvivesAParser() throws {
    let name = String(String.UnicodeScalarView((0..<0x300).compactMap { Unicode.Scalar($0) }))
    let text = try Self.text { $0.wifi = name }
    let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
    #expect((object?["properties"] as? [String: Any])?["wifi"] as? String == name)
  }
}
