import Formats
import Foundation
import Quantities
import Records
import Testing

@Suite struct OverlandProfileTests {
  static func text(_ profile: String, _ change: (inout LocationRecord) -> Void = { _ in }) throws -> String {
    var record = try OwnTracksMessageTests.van()
    guard case .location(var location) = record.body else {
      Issue.record("no location")
      return ""
    }
    change(&location)
    record.body = .location(location)
    let row = try #require(OverlandProfile.named(profile))
    var text: [UInt8] = []
    try #require(OverlandFeature(record)).append(to: &text, for: row)
    return String(decoding: text, as: UTF8.self)
  }

  @Test func namesAreUnique() {
    #expect(Set(OverlandProfile.all.map(\.name)).count == OverlandProfile.all.count)
  }

  @Test func wayfinderGetsWholeSpeedAndAlwaysACharge() throws {
    let text = try Self.text("wayfinder") { $0.batteryPercent = nil }
    #expect(text.contains(#""speed":13,"#) && text.contains(#""battery_state":"full","battery_level":1}"#))
    #expect(try Self.text("wayfinder") { $0.batteryPercent = 40 }.contains(#""battery_level":0.4}"#))
    #expect(try Self.text("wayfinder") { $0.speedMillimetresPerSecond = nil }.contains(#""speed":-1,"#))
  }

  @Test(
    arguments: [
      ([], "unknown"), ([.driving, .stationary], "automotive"), ([.cycling, .driving], "cycling"),
      ([.walking, .running], "walking"), ([.stationary], "stationary"),
    ] as [(MotionStates, String)])
  func traceGetsExactlyOneWord(motion: MotionStates, word: String) throws {
    #expect(try Self.text("trace") { $0.motion = motion }.contains(#""motion":["\#(word)"]"#))
  }

  @Test func theFirstVersionNamesTheCoordinates() throws {
    let text = try Self.text("gpslogger")
    #expect(text.contains(#""coordinates":{"latitude":52.5418194,"longitude":13.3619121}}"#))
    #expect(
      text.hasSuffix(
        #","deferred":0,"significant_change":"disabled","pauses":false,"activity":"other","desired_accuracy":-1,"#
          + #""locations_in_payload":1}}"#))
  }

  static let sixKeys = [
    "pauses", "activity", "desired_accuracy", "deferred", "significant_change", "locations_in_payload",
  ]

  @Test(arguments: [false, true])
  func theFirstVersionAlwaysHasItsSixKeysAndTraceAnActivity(hasStatistics: Bool) throws {
    func text(_ profile: String) throws -> String {
      try Self.text(profile) {
        $0.statistics =
          hasStatistics
          ? TrackingStatistics(pauses: true, activity: .fitness, desiredAccuracy: .best, mode: .both) : nil
      }
    }
    for key in Self.sixKeys {
      #expect(try text("gpslogger").components(separatedBy: "\"\(key)\":").count == 2)
    }
    for profile in ["trace", "trace_hourly"] {
      #expect(try text(profile).contains(#""activity":"\#(hasStatistics ? "fitness" : "other")""#))
    }
    #expect(try text("overland").contains("activity") == hasStatistics)
  }

  @Test func theFirstVersionReportsItsTwoSettings() throws {
    var row = try #require(OverlandProfile.named("gpslogger"))
    row.historic?.deferredMetres = 100
    row.historic?.significantChange = .enabled
    func text(_ mode: TrackingMode?) throws -> String {
      let record = try OwnTracksMessageTests.van()
      guard case .location(var location) = record.body, let time = record.time else {
        Issue.record("no location")
        return ""
      }
      location.statistics = mode.map {
        TrackingStatistics(pauses: false, activity: .other, desiredAccuracy: .best, mode: $0)
      }
      var text: [UInt8] = []
      OverlandFeature(location, time: time).append(to: &text, for: row)
      return String(decoding: text, as: UTF8.self)
    }
    let modes: [(TrackingMode?, String)] = [
      (nil, "enabled"), (.off, "disabled"), (.standard, "disabled"), (.both, "enabled"),
      (.significant, "exclusive"),
    ]
    for (mode, word) in modes {
      #expect(
        try text(mode).contains(#","deferred":100,"significant_change":"\#(word)""#),
        "\(word): what a record was kept with goes before today's setting")
    }
  }

  @Test func allOtherProfilesFollowTheProtocol() throws {
    let plain = try Self.text("overland")
    for name in ["dawarich", "geopulse", "reitti", "phonetrack", "open_humans", "compass"] {
      #expect(try Self.text(name) == plain)
    }
  }

  static let names = OverlandProfile.all.map(\.name)

  /// Dawarich 1.7 hides points above 100 m.
  @Test(arguments: names)
  func aPositionWithoutAnAccuracyIsSentWithOneThatTheServerShows(name: String) throws {
    let profile = try #require(OverlandProfile.named(name))
    let coordinate = try #require(Coordinate(latitude: 52.5, longitude: 13.4))
    let time = Timestamp(milliseconds: 1_772_360_102_000)
    var location = LocationRecord(coordinate: coordinate, deviceID: "van")
    func accuracy() -> Substring {
      var text: [UInt8] = []
      OverlandFeature(location, time: time).append(to: &text, for: profile)
      let rest = String(decoding: text, as: UTF8.self).split(separator: #""horizontal_accuracy":"#).last ?? ""
      return rest.prefix { $0 != "," && $0 != "." }
    }
    #expect(accuracy() == (name == "dawarich" ? "99" : "100"))
    // What the receiver reports stays.
    location.horizontalAccuracyMillimetres = 340_000
    #expect(accuracy() == "340")
    location.horizontalAccuracyMillimetres = 100_000
    #expect(accuracy() == "100")
  }

  @Test func onlyCompassHasItsTokenInTheQuery() {
    #expect(OverlandProfile.all.filter { $0.tokenParameter != nil }.map(\.name) == ["compass"])
    #expect(OverlandProfile.named("trace")?.bucket == .seconds(60))
    #expect(OverlandProfile.named("trace_hourly")?.bucket == .seconds(3600))
  }
}
