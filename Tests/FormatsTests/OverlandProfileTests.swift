import Formats
import Quantities
import Records
import Testing

@Suite struct OverlandProfileTests {
  static func text(_ profile: String, _ change: (inout LocationRecord) -> Void = { _ in }) throws -> String {
    var record = try OwnTracksMessageTests.van()
    guard case .location(var location) = record.body else { return "" }
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

  @Test func theOldestFormNamesTheCoordinates() throws {
    let text = try Self.text("gpslogger")
    #expect(text.contains(#""coordinates":{"latitude":52.5418194,"longitude":13.3619121}}"#))
    #expect(text.hasSuffix(#","deferred":0,"significant_change":"disabled"}}"#))
  }

  @Test func theOldestFormTellsItsTwoSettings() throws {
    var row = try #require(OverlandProfile.named("gpslogger"))
    row.historic?.deferredMetres = 100
    row.historic?.significantChange = .enabled
    func text(_ mode: TrackingStatistics.Mode?) throws -> String {
      let record = try OwnTracksMessageTests.van()
      guard case .location(var location) = record.body, let time = record.time else { return "" }
      location.statistics = mode.map {
        TrackingStatistics(pauses: false, activity: .other, desiredAccuracy: .best, mode: $0)
      }
      var text: [UInt8] = []
      OverlandFeature(location, time: time).append(to: &text, for: row)
      return String(decoding: text, as: UTF8.self)
    }
    let modes: [(TrackingStatistics.Mode?, String)] = [
      (nil, "enabled"), (.off, "disabled"), (.standard, "disabled"), (.both, "enabled"),
      (.significant, "exclusive"),
    ]
    for (mode, word) in modes {
      #expect(
        try text(mode).contains(#","deferred":100,"significant_change":"\#(word)""#),
        "\(word): what a record was kept with goes before today's setting")
    }
  }

  @Test func allOthersAreAsTheProtocolHasIt() throws {
    let plain = try Self.text("overland")
    for name in ["dawarich", "geopulse", "reitti", "phonetrack", "open_humans", "compass"] {
      #expect(try Self.text(name) == plain)
    }
  }

  @Test func onlyCompassHasItsTokenInTheQuery() {
    #expect(OverlandProfile.all.filter { $0.tokenParameter != nil }.map(\.name) == ["compass"])
    #expect(OverlandProfile.named("trace")?.bucket == .seconds(60))
    #expect(OverlandProfile.named("trace_hourly")?.bucket == .seconds(3600))
  }
}
