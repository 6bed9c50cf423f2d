import Quantities
import Testing

@testable import Settings

/// Profiles from their words in a file and back.
@Suite struct ProfileSettingsTests {
  static let all = """
    { when: "moving", period: "2m", distance: "300m", angle_deg: 60, angle_long_deg: 20, angle_within: "200m",
      angle_min_speed_kmh: 4, speed_kmh: 15, ceiling: "6h", min_interval: "5s", transition: false, event: true,
      beaconing: { slow_rate: "10m", slow_speed_kmh: 8, fast_rate: "1m", fast_speed_kmh: 100, turn_angle_deg: 20,
        turn_slope: 300, turn_time: "10s" } }
    """

  @Test func eachFieldIsTakenAndStandsInTheListingAsItWasGiven() throws {
    let read = try configuration(file: "{ profiles: [\(Self.all), { when: 'always' }] }")
    let profile = try #require(read.profiles.first)
    #expect(profile.when == .moving && profile.period == .seconds(120) && profile.distanceMetres == 300)
    #expect(profile.angle == 60 && profile.longAngle == 20 && profile.angleWithinMetres == 200)
    #expect(profile.angleMinSpeed == 4 && profile.speed == 15 && profile.ceiling == .seconds(6 * 3600))
    #expect(profile.minInterval == .seconds(5) && !profile.heedsTransitions && profile.heedsEvents)
    let beaconing = try #require(profile.beaconing)
    #expect(beaconing.slowRate == .seconds(600) && beaconing.slowSpeed == 8)
    #expect(beaconing.fastRate == .seconds(60) && beaconing.fastSpeed == 100)
    #expect(beaconing.turnAngle == 20 && beaconing.turnSlope == 300 && beaconing.turnTime == .seconds(10))
    var plain = ProfileSettings()
    plain.when = .always
    #expect(read.profiles.last == plain)
    let row = try #require(read.rows.first { $0.setting.path == "profiles" })
    #expect(try configuration(set: ["profiles=\(row.json)"]).profiles == read.profiles)
    #expect(row.setting.applies == .atOnce && row.setting.fromServer == .never)
  }

  @Test func theReferenceExplainsEveryField() {
    let page = SettingsReference.markdown
    for field in ProfileSettings.Field.table.settings {
      #expect(page.contains("| `profiles[].\(field.path)` |"), "\(field.path)")
    }
    for field in BeaconingSettings.Field.table.settings {
      #expect(page.contains("| `profiles[].beaconing.\(field.path)` |"), "\(field.path)")
    }
    #expect(page.contains("| `zones[].dwell` |") && !page.contains("| `privacy_zones[].dwell` |"))
  }
}
