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

  static let idle: [(file: String, says: [String])] = [
    ("profiles: [{ when: 'moving' }, { when: 'stop' }]", []),
    ("profiles: [{ when: 'trip' }, { when: 'always' }]", []),
    (
      "profiles: [{ when: 'always' }, { when: 'trip' }, { when: 'stop' }]",
      [
        "profiles[1] (trip): never counts: always stands before it and holds at all times; put this one before that",
        "profiles[2] (stop): never counts: always stands before it and holds at all times; put this one before that",
      ]
    ),
    (
      "profiles: [{ when: 'stop' }, { when: 'moving' }, { when: 'trip' }]",
      [
        "profiles[2] (trip): never counts: moving and stop stand before it, and one of them holds at all times; put this one "
          + "before them"
      ]
    ),
    (
      "profiles: [{ when: 'in_zone' }]",
      ["profiles[0] (in_zone): never counts: no zone has profile: true; give it to one of zones"]
    ),
    (
      "profiles: [{ when: 'in_zone' }], zones: [{ name: 'z', latitude: 1, longitude: 1, radius: '50m', profile: true }]",
      []
    ),
    (
      "profiles: [{ when: 'charging' }, { when: 'trip' }]",
      [
        "profiles[1] (trip): never counts: charging stands before it and holds at all times; put this one before that"
      ]
    ),
    (
      "supply: 'battery', profiles: [{ when: 'charging' }, { when: 'low_battery' }]",
      [
        "profiles[0] (charging): never counts: without a gauge nobody knows whether the battery is charged; name one (gauge)",
        "profiles[1] (low_battery): never counts: without a gauge nobody knows that the battery is low; name one (gauge)",
      ]
    ),
    (
      "supply: 'battery', gauge: { power_supply: 'BAT0' }, profiles: [{ when: 'charging' }, { when: 'low_battery' }]",
      []
    ),
    (
      "profiles: [{ when: 'low_battery' }]",
      [
        "profiles[0] (low_battery): never counts: supply is mains, which is never low; remove it, or set supply"
      ]
    ),
    (
      "supply: 'vehicle', gauge: { power_supply: 'BAT0' }, profiles: [{ when: 'low_battery' }]",
      ["profiles[0] (low_battery): never counts: no voltage of the vehicle counts as low; set power.low_V"]
    ),
    (
      "supply: 'vehicle', gauge: { power_supply: 'BAT0' }, power: { low_V: 11.8 }, profiles: [{ when: 'low_battery' }]",
      []
    ),
  ]

  @Test(arguments: idle)
  func aProfileThatCanNeverCountIsWarnedOf(file: String, says: [String]) throws {
    #expect(try configuration(file: "{ \(file) }").warnings == says)
  }

  static let withoutEffect: [(destination: String, says: [String])] = [
    (
      "kind: 'overland', url: 'https://h/', user: 'me'",
      ["user: has no effect: password is not given; give both or neither"]
    ),
    (
      "kind: 'query', url: 'https://h/', user: 'me'",
      ["user: has no effect: password is not given; give both or neither"]
    ),
    ("kind: 'overland', url: 'https://h/', user: 'me', password: 'x'", []),
    ("kind: 'owntracks', url: 'https://h/', user: 'me'", []),
    ("kind: 'overland', logging_mode: 'owntracks', url: 'https://h/', user: 'me'", []),
    (
      "kind: 'owntracks', url: 'mqtts://h', user: 'me', device_id: 'me/van'",
      ["user: logs in without a password; give password too"]
    ),
    ("kind: 'owntracks', url: 'mqtts://h', user: 'me', token: 'x', device_id: 'me/van'", []),
    (
      "kind: 'query', url: 'https://h/', batch_size: 20",
      ["batch_size: has no effect: query takes one record a request; leave it out"]
    ),
    (
      "kind: 'owntracks', url: 'https://h/', batch_size: 20",
      ["batch_size: has no effect: owntracks takes one record a request; leave it out"]
    ),
    ("kind: 'owntracks', url: 'https://h/', batch_size: 1", []),
    ("kind: 'overland', url: 'https://h/', batch_size: 20", []),
    (
      "kind: 'file', directory: '/d', batch_size: 20",
      ["batch_size: has no effect: files are written by the hour; leave it out"]
    ),
  ]

  static let recordings: [(destination: String, says: [String])] = [
    ("kind: 'overland', url: 'https://h/'", []), ("kind: 'file', directory: '/d'", []),
    (
      "kind: 'query', url: 'https://h/'",
      ["reconstructed_trips: has no effect: the destination takes positions alone; leave it out"]
    ),
    (
      "kind: 'owntracks', url: 'https://h/'",
      ["reconstructed_trips: has no effect: the destination takes positions alone; leave it out"]
    ),
    (
      "kind: 'overland', logging_mode: 'owntracks', url: 'https://h/'",
      ["reconstructed_trips: has no effect: the destination takes positions alone; leave it out"]
    ),
  ]

  @Test(arguments: recordings)
  func tripsThatADestinationCannotTakeAreWarnedOf(destination: String, says: [String]) throws {
    let text =
      "{ trip: { start: 'automatic' }, destinations: [{ name: 'home', reconstructed_trips: true, \(destination) }] }"
    #expect(try configuration(file: text).warnings == says.map { "destinations[0] (home): \($0)" })
  }

  @Test(arguments: withoutEffect)
  func whatADestinationCannotUseIsWarnedOf(destination: String, says: [String]) throws {
    #expect(
      try configuration(file: "{ destinations: [{ name: 'home', \(destination) }] }").warnings
        == says.map { "destinations[0] (home): \($0)" })
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
