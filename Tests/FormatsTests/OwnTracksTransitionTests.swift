import Formats
import Quantities
import Records
import Testing

/// Entries and exits of zones in the OwnTracks format.
@Suite struct OwnTracksTransitionTests {
  static func record(
    _ kind: EventKind = .zoneEntered, _ fields: EventFields = [:], zone: String? = "depot",
    accuracy: Double? = 4.4
  ) throws -> LogRecord {
    let coordinate = try #require(Coordinate(latitudeE7: 525_418_194, longitudeE7: 133_619_121))
    let name: EventFields = [.zone: zone.map { .text($0) }]
    let known = name.merging(EventFields(position: coordinate, accuracy: accuracy)).merging(fields)
    return LogRecord(
      moment: .zero, time: Timestamp(milliseconds: 1_772_360_102_900), timeQuality: .receiver,
      body: .event(EventRecord(kind, known)))
  }

  static func text(_ record: LogRecord, deviceID: String = "fleet/van7", trackerID: String? = nil) -> String?
  {
    guard let transition = OwnTracksTransition(record) else { return nil }
    var text: [UInt8] = []
    transition.append(to: &text, deviceID: deviceID, trackerID: trackerID)
    return String(decoding: text, as: UTF8.self)
  }

  @Test(arguments: [(EventKind.zoneEntered, "enter"), (.zoneLeft, "leave")])
  func aTransitionMatchesTheGoldenFile(kind: EventKind, word: String) throws {
    let text = try #require(Self.text(try Self.record(kind), trackerID: "v7"))
    let golden = try GoldenTests.golden("owntracks-transition")
    #expect(text == golden.replacing("EVENT", with: word))
  }

  struct Case: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var fields: EventFields = [:]
    var zone = "depot"
    var accuracy: Double? = 4.4
    var deviceID = "fleet/van7"
    var expected: String?
    var lacks: String?
  }

  static let cases = [
    Case(testDescription: "an unknown accuracy", accuracy: nil, expected: #""acc":100,"#),
    Case(testDescription: "an accuracy below 1 m", accuracy: 0.3, expected: #""acc":1,"#),
    Case(testDescription: "an inferred crossing", fields: [.isInferred: true], expected: #""t":"c""#),
    Case(testDescription: "a Wi-Fi zone", fields: [.cause: "network"], lacks: #""t":"#),
    Case(testDescription: "no device id", deviceID: "", lacks: "topic"),
    Case(
      testDescription: "a wildcard in the id", deviceID: "a/b+", expected: #""topic":"owntracks/a/b_/event"}"#
    ),
    Case(testDescription: "a quote in the name", zone: "the \"yard\"", expected: #""desc":"the \"yard\"","#),
    Case(
      testDescription: "whole degrees read from JSON", fields: [.latitude: 52, .longitude: -13],
      expected: #""lat":52,"lon":-13,"#),
  ]

  @Test(arguments: cases)
  func unknownValuesAreOmitted(_ situation: Case) throws {
    let record = try Self.record(
      .zoneEntered, situation.fields, zone: situation.zone, accuracy: situation.accuracy)
    let text = try #require(Self.text(record, deviceID: situation.deviceID))
    if let expected = situation.expected { #expect(text.contains(expected), "\(text)") }
    if let lacks = situation.lacks { #expect(!text.contains(lacks), "\(text)") }
    #expect(!text.contains("rid") && !text.contains("tid"), "\(text)")
  }

  @Test func aZoneKeepsItsIdentity() throws {
    func identity(_ zone: String, _ kind: EventKind) throws -> Substring? {
      let text = try #require(Self.text(try Self.record(kind, zone: zone)))
      return text.split(separator: ",").first { $0.hasPrefix(#""wtst""#) }
    }
    let depot = try identity("depot", .zoneEntered)
    let left = try identity("depot", .zoneLeft)
    let yard = try identity("yard", .zoneEntered)
    #expect(depot == left && depot != yard)
    for name in ["", "depot", "yard", "é"] {
      let text = try #require(try identity(name, .zoneEntered)?.split(separator: ":").last)
      let seconds = try #require(Int64(text))
      #expect((1_000_000_000..<2_000_000_000).contains(seconds))
    }
  }

  @Test func onlyADatedCrossingWithAPositionHasAMessage() throws {
    for kind in EventKind.allCases where kind != .zoneEntered && kind != .zoneLeft {
      var record = try Self.record()
      record.body = .event(EventRecord(kind))
      #expect(Self.text(record) == nil, "\(kind)")
    }
    var undated = try Self.record()
    undated.time = nil
    #expect(Self.text(undated) == nil)
    var older = try Self.record()
    older.body = .event(EventRecord(.zoneLeft, [.zone: "depot"]))
    #expect(Self.text(older) == nil, "an event of an older version has no position")
    let nameless = try Self.record(zone: nil)
    #expect(Self.text(nameless) == nil)
    let location = try OwnTracksMessageTests.van()
    #expect(Self.text(location) == nil)
  }

  @Test func theAnswerToARequestHasATrigger() throws {
    let message = try #require(OwnTracksMessage(try OwnTracksMessageTests.van()))
    var (plain, requested): ([UInt8], [UInt8]) = ([], [])
    message.append(to: &plain)
    message.append(to: &requested, isRequested: true)
    let text = String(decoding: requested, as: UTF8.self)
    #expect(text == String(decoding: plain.dropLast(), as: UTF8.self) + #","t":"r"}"#)
  }
}
