import Quantities
import Testing
import TextSnapshots

@testable import Settings

/// Reads profiles from a file and writes them.
@Suite struct ProfileSettingsTests {
  static let texts = TextSnapshot("settings")

  static let all = """
    { when: "moving", period: "2m", distance: "300m", angle_deg: 60, angle_long_deg: 20, angle_within: "200m",
      angle_min_speed_kmh: 4, speed_kmh: 15, ceiling: "6h", min_interval: "5s", transition: false, event: true,
      beaconing: { slow_rate: "10m", slow_speed_kmh: 8, fast_rate: "1m", fast_speed_kmh: 100, turn_angle_deg: 20,
        turn_slope: 300, turn_time: "10s" } }
    """

  @Test func everyFieldIsReadAndListedAsGiven() throws {
    let read = try configuration(file: "{ profiles: [\(Self.all), { when: 'always' }] }")
    let profile = try #require(read.profiles.first)
    #expect(profile.when == .moving && profile.period == .seconds(120) && profile.distanceMetres == 300)
    #expect(profile.angle == 60 && profile.longAngle == 20 && profile.angleWithinMetres == 200)
    #expect(profile.angleMinSpeed == 4 && profile.speed == 15 && profile.ceiling == .seconds(6 * 3600))
    #expect(profile.minInterval == .seconds(5) && !profile.reactsToTransitions && profile.reactsToEvents)
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

  static let idle: [(file: String, warnings: Int)] = [
    ("profiles: [{ when: 'moving' }, { when: 'stop' }]", 0),
    ("profiles: [{ when: 'trip' }, { when: 'always' }]", 0),
    ("profiles: [{ when: 'always' }, { when: 'trip' }, { when: 'stop' }]", 2),
    ("profiles: [{ when: 'stop' }, { when: 'moving' }, { when: 'trip' }]", 1),
    ("profiles: [{ when: 'in_zone' }]", 1),
    (
      "profiles: [{ when: 'in_zone' }], zones: [{ name: 'z', latitude: 1, longitude: 1, radius: '50m', profile: true }]",
      0
    ),
    ("profiles: [{ when: 'charging' }, { when: 'trip' }]", 1),
    ("supply: 'battery', profiles: [{ when: 'charging' }, { when: 'low_battery' }]", 2),
    (
      "supply: 'battery', gauge: { power_supply: 'BAT0' }, profiles: [{ when: 'charging' }, { when: 'low_battery' }]",
      0
    ),
    ("profiles: [{ when: 'low_battery' }]", 1),
    ("supply: 'vehicle', gauge: { power_supply: 'BAT0' }, profiles: [{ when: 'low_battery' }]", 1),
    (
      "supply: 'vehicle', gauge: { power_supply: 'BAT0' }, power: { low_V: 11.8 }, profiles: [{ when: 'low_battery' }]",
      0
    ),
  ]

  @Test(arguments: idle)
  func aProfileThatNeverAppliesCausesAWarning(file: String, warnings: Int) throws {
    let found = try configuration(file: "{ \(file) }").warnings
    Self.check(found, count: warnings, "profiles: \(file)")
  }

  private static func check(_ warnings: [String], count: Int, _ name: String) {
    #expect(warnings.count == count, "\(warnings)")
    guard count > 0 else { return }
    let text = warnings.joined(separator: "\n")
    #expect(text == texts.expected(name, text))
  }

  static let withoutEffect: [(destination: String, warnings: Int)] = [
    ("kind: 'overland', url: 'https://h/', user: 'me'", 1),
    ("kind: 'query', url: 'https://h/', user: 'me'", 1),
    ("kind: 'overland', url: 'https://h/', user: 'me', password: 'x'", 0),
    ("kind: 'owntracks', url: 'https://h/', user: 'me'", 0),
    ("kind: 'overland', logging_mode: 'owntracks', url: 'https://h/', user: 'me'", 0),
    ("kind: 'owntracks', url: 'mqtts://h', user: 'me', device_id: 'me/van'", 1),
    ("kind: 'owntracks', url: 'mqtts://h', user: 'me', token: 'x', device_id: 'me/van'", 0),
    ("kind: 'query', url: 'https://h/', batch_size: 20", 1),
    ("kind: 'owntracks', url: 'https://h/', batch_size: 20", 1),
    ("kind: 'owntracks', url: 'https://h/', batch_size: 1", 0),
    ("kind: 'overland', url: 'https://h/', batch_size: 20", 0),
    ("kind: 'file', directory: '/d', batch_size: 20", 1),
  ]

  static let recordings: [(destination: String, warnings: Int)] = [
    ("kind: 'overland', url: 'https://h/'", 0), ("kind: 'file', directory: '/d'", 0),
    ("kind: 'query', url: 'https://h/'", 1),
    ("kind: 'owntracks', url: 'https://h/'", 1),
    ("kind: 'overland', logging_mode: 'owntracks', url: 'https://h/'", 1),
  ]

  @Test(arguments: recordings)
  func reconstructedTripsThatADestinationCannotTakeCauseAWarning(destination: String, warnings: Int) throws {
    let text =
      "{ trip: { start: 'automatic' }, destinations: [{ name: 'home', reconstructed_trips: true, \(destination) }] }"
    let found = try configuration(file: text).warnings
    #expect(found.allSatisfy { $0.hasPrefix("destinations[0] (home): reconstructed_trips: ") })
    Self.check(found, count: warnings, "reconstructed trips: \(destination)")
  }

  @Test(arguments: withoutEffect)
  func aSettingThatADestinationCannotUseCausesAWarning(destination: String, warnings: Int) throws {
    let found = try configuration(file: "{ destinations: [{ name: 'home', \(destination) }] }").warnings
    #expect(found.allSatisfy { $0.hasPrefix("destinations[0] (home): ") })
    Self.check(found, count: warnings, "destination: \(destination)")
  }

  @Test func theReferenceExplainsEveryField() {
    let page = SettingsReference.markdown
    for field in ProfileSettings.Field.table.settings {
      #expect(page.contains("\n### profiles[].\(field.path)\n"), "\(field.path)")
    }
    for field in BeaconingSettings.Field.table.settings {
      #expect(page.contains("\n### profiles[].beaconing.\(field.path)\n"), "\(field.path)")
    }
    #expect(page.contains("\n### zones[].dwell\n") && !page.contains("\n### privacy_zones[].dwell\n"))
  }
}
