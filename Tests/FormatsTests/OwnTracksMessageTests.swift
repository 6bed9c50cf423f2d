import Formats
import Quantities
import Records
import Testing

@Suite struct OwnTracksMessageTests {
  /// The example of the protocol's reference.
  static func van() throws -> LogRecord {
    var location = LocationRecord(
      coordinate: try #require(Coordinate(latitudeE7: 525_418_194, longitudeE7: 133_619_121)),
      deviceID: "fleet/van7")
    location.altitudeMillimetres = 39_000
    location.speedMillimetresPerSecond = 13_470
    location.courseMillidegrees = 87_000
    location.horizontalAccuracyMillimetres = 4000
    location.batteryPercent = 100
    return LogRecord(
      moment: .zero, time: Timestamp(milliseconds: 1_772_360_102_000), timeQuality: .receiver,
      body: .location(location))
  }

  static func text(_ record: LogRecord, trackerID: String? = nil) -> String? {
    guard let message = OwnTracksMessage(record) else { return nil }
    var text: [UInt8] = []
    message.append(to: &text, trackerID: trackerID)
    return String(decoding: text, as: UTF8.self)
  }

  struct Case: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var change: @Sendable (inout LocationRecord) -> Void
    var expectedPart: String?
    var lacks: String?
  }

  static let cases = [
    Case(
      testDescription: "no radius", change: { $0.horizontalAccuracyMillimetres = nil },
      expectedPart: #""acc":100"#),
    Case(
      testDescription: "a radius of 0", change: { $0.horizontalAccuracyMillimetres = 0 },
      expectedPart: #""acc":1,"#),
    Case(testDescription: "unknown battery", change: { $0.batteryPercent = nil }, lacks: "batt"),
    Case(testDescription: "no device id", change: { $0.deviceID = "" }, lacks: "topic"),
    Case(
      testDescription: "a quote in the id", change: { $0.deviceID = "a\"b" },
      expectedPart: #""owntracks/a\"b""#),
    Case(testDescription: "unknown speed", change: { $0.speedMillimetresPerSecond = nil }, lacks: "vel"),
    Case(
      testDescription: "100 km/h", change: { $0.speedMillimetresPerSecond = 27_778 },
      expectedPart: #""vel":100,"#),
    Case(testDescription: "unknown altitude", change: { $0.altitudeMillimetres = nil }, lacks: "alt"),
    Case(
      testDescription: "below the sea", change: { $0.altitudeMillimetres = -3600 },
      expectedPart: #""alt":-4,"#),
    Case(
      testDescription: "extremes", change: { $0.speedMillimetresPerSecond = .max },
      expectedPart: #""vel":7730941"#),
  ]

  @Test(arguments: cases)
  func unknownValuesAreOmitted(_ situation: Case) throws {
    var record = try Self.van()
    guard case .location(var location) = record.body else {
      Issue.record("no location")
      return
    }
    situation.change(&location)
    record.body = .location(location)
    let text = try #require(Self.text(record))
    if let expectedPart = situation.expectedPart { #expect(text.contains(expectedPart), "\(text)") }
    if let lacks = situation.lacks { #expect(!text.contains(lacks), "\(text)") }
  }

  @Test func theTrackerIDFollowsTheTopic() throws {
    let text = try #require(Self.text(try Self.van(), trackerID: "v7"))
    #expect(text.contains(#""topic":"owntracks/fleet/van7","tid":"v7","#))
  }

  @Test func recordsWithoutPositionOrTimeHaveNoMessage() throws {
    var record = try Self.van()
    record.time = nil
    #expect(Self.text(record) == nil)
    record.body = .event(EventRecord(.started))
    #expect(Self.text(record) == nil)
  }

  @Test(arguments: [
    ("", nil), ("van", "owntracks/van"), ("fleet/van7", "owntracks/fleet/van7"),
    ("a+b#c\0d", "owntracks/a_b_c_d"),
    ("é+", "owntracks/é_"),
  ])
  func noTopicHasAWildcard(deviceID: String, topic: String?) {
    #expect(OwnTracksMessage.topic(deviceID: deviceID) == topic)
  }
}
