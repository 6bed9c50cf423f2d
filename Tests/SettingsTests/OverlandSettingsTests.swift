import Quantities
import Testing
import TextSnapshots

import Settings

/// The values of Overland's settings, and further values that a file accepts.
@Suite struct OverlandSettingsTests {
  static let texts = TextSnapshot("settings")

  /// Every setting of Overland with all its values.
  static let words: [(path: String, values: [String])] = [
    ("send_interval", ["1s", "5s", "10s", "15s", "30s", "1m", "2m", "5m", "10m", "30m", "off"]),
    (
      "trip_mode",
      [
        "walk", "run", "bicycle", "car", "taxi", "bus", "tram", "train", "metro", "gondola", "monorail",
        "sleigh",
        "plane", "boat", "scooter",
      ]
    ),
    ("main.tracking_mode", ["off", "standard", "significant", "both"]),
    ("main.visit_tracking", ["true", "false"]),
    ("main.desired_accuracy", ["nav", "best", "10m", "100m", "1km", "3km"]),
    ("main.activity_type", ["other", "car", "fitness", "nav", "air"]),
    ("main.background_indicator", ["true", "false"]), ("main.pause_automatically", ["true", "false"]),
    ("main.logging_mode", ["all", "latest", "owntracks"]),
    ("main.batch_size", ["50", "100", "200", "500", "1000"]),
    ("main.resume_with_geofence", ["off", "100m", "200m", "500m", "1km", "2km"]),
    ("main.min_distance", ["off", "1m", "10m", "50m", "100m", "500m"]),
    ("main.min_time", ["1s", "5s", "10s", "30s", "1m", "5m"]),
    ("main.max_accuracy", ["off", "10m", "50m", "100m", "500m", "1000m"]),
    ("trip.desired_accuracy", ["nav", "best", "10m", "100m", "1km", "3km"]),
    ("trip.activity_type", ["other", "car", "fitness", "nav", "air"]),
    ("trip.background_indicator", ["true", "false"]), ("trip.prevent_screen_lock", ["true", "false"]),
    ("trip.logging_mode", ["all", "latest", "owntracks"]),
    ("trip.batch_size", ["50", "100", "200", "500", "1000"]),
    ("trip.min_distance", ["off", "1m", "10m", "50m", "100m", "500m"]),
    ("trip.min_time", ["1s", "5s", "10s", "30s", "1m", "5m"]),
  ]

  @Test(arguments: words)
  func everyValueIsAcceptedAndServersCanSetIt(path: String, values: [String]) {
    for value in values { #expect(refusals(set: ["\(path)=\(value)"]) == [], "\(value)") }
    #expect(Configuration.settings.first { $0.path == path }.map { $0.fromServer != .never } == true)
  }

  static let defaults: [(path: String, json: String)] = [
    ("tracking", "true"), ("usage_profile", "\"off\""), ("send_interval", "\"5m\""),
    ("trip_mode", "\"bicycle\""),
    ("tracking_stats", "false"), ("unique_id", "false"), ("notifications", "\"off\""),
    ("main.tracking_mode", "\"standard\""), ("main.visit_tracking", "false"),
    ("main.desired_accuracy", "\"100m\""), ("main.activity_type", "\"other\""),
    ("main.background_indicator", "false"), ("main.pause_automatically", "false"),
    ("main.resume_with_geofence", "\"off\""), ("main.pause_delay", "\"2m\""),
    ("main.logging_mode", "\"all\""),
    ("main.batch_size", "200"), ("main.min_distance", "\"off\""), ("main.min_time", "\"1s\""),
    ("main.max_accuracy", "\"off\""), ("main.deferred", "\"off\""), ("trip.background_indicator", "true"),
    ("trip.prevent_screen_lock", "false"), ("trip.pause_automatically", "false"), ("trip.batch_size", "200"),
    ("trip.min_time", "\"1s\""),
    ("remote.max_silence", "\"1d\""), ("power.low", "15"), ("power.last_until", "\"off\""),
    ("remote.locked", "[]"), ("zones", "[]"), ("profiles", "[]"), ("main.accuracy_retry", "\"off\""),
    ("main.quiet_speed_mps", "\"off\""), ("main.check_interval", "\"15m\""),
    ("main.check_longest", "\"4h\""), ("main.check_distance", "\"500m\""), ("parking.delay", "\"off\""),
    ("parking.freeze", "\"ignition\""),
  ]

  @Test(arguments: defaults)
  func theDefaultsAreAsDocumented(path: String, json: String) throws {
    #expect(try configuration().rows.first { $0.setting.path == path }?.json == json)
  }

  @Test func serversCannotChangeIdentityOrDestinations() {
    let never = Configuration.settings.filter { $0.fromServer == .never }.map(\.path)
    for path in ["tracking", "device_id", "destinations", "unique_id", "remote.max_silence", "remote.locked"]
    {
      #expect(never.contains(path))
    }
  }

  @Test func aFileAcceptsValuesBetweenThoseOfOverland() throws {
    let read = try configuration(
      file:
        "{ main: { min_distance: '25m', min_time: '90s', resume_with_geofence: '350m' }, send_interval: '42s' }"
    )
    #expect(read.main.minDistanceMetres == 25 && read.main.minTime == .seconds(90))
    let dated = try configuration(file: "{ power: { last_until: '2027-03-01' } }")
    #expect(dated.power.lastUntil == CalendarDate(year: 2027, month: 3, day: 1))
    #expect(read.main.resumeRadiusMetres == 350 && read.sendInterval == .seconds(42))
    #expect(read.rows.first { $0.setting.path == "main.min_distance" }?.json == "\"25m\"")
  }

  @Test func zonesAreCirclesPolygonsAndNetworks() throws {
    let read = try configuration(
      file: """
        {
          zones: [{ name: 'yard', latitude: 52.5, longitude: 13.4, radius: '80m' }],
          privacy_zones: [{ name: 'home', polygon: [[52, 13], [52, 14], [53, 14]] }],
          wifi_zones: [{ name: 'office', ssid: 'net', address: '02:00:5E:10:00:01', latitude: 1, longitude: 2 }],
          notifications: '/usr/local/bin/notify', remote: { locked: ['main', 'send_interval'] },
        }
        """)
    #expect(read.zones.first?.radiusMetres == 80 && read.zones.first?.polygon.isEmpty == true)
    #expect(read.privacyZones.first?.polygon.count == 3)
    #expect(read.wifiZones.first?.address == "02:00:5e:10:00:01")
    #expect(read.notifications == [NotificationSettings(plain: .command("/usr/local/bin/notify"))])
    #expect(read.remote.locks("main.min_time") && read.remote.locks("send_interval"))
    #expect(!read.remote.locks("trip.min_time") && !read.remote.locks("mainly"))
    let shown = read.rows.first { $0.setting.path == "privacy_zones" }?.json
    #expect(shown == #"[{"name": "home", "polygon": [[52, 13], [52, 14], [53, 14]]}]"#)
  }

  private static let manyCorners = (0...1000).map { "[52.\($0 + 1000), 13]" }.joined(separator: ", ")

  static let bad: [(file: String, expectedText: String)] = [
    ("{ zones: [{ name: 'x' }] }", "zones[0]: "),
    ("{ zones: [{ name: 'x', latitude: 1 }] }", "zones[0]: "),
    (
      "{ zones: [{ name: 'x', latitude: 1, longitude: 1, polygon: [[0, 0], [0, 1], [1, 1]] }] }",
      "zones[0]: "
    ),
    ("{ zones: [{ name: 'x', polygon: [[0, 0], [0, 1]] }] }", "zones[0].polygon: "),
    ("{ zones: [{ name: 'x', polygon: [[0, 0], [0, 1], [91, 1]] }] }", "zones[0].polygon: "),
    ("{ privacy_zones: [{ name: 'x', polygon: [[1, 1], [1, 1], [1, 1]] }] }", "privacy_zones[0]: "),
    (
      "{ privacy_zones: [{ name: 'x', polygon: [[-80, 0], [80, 0], [0, 179]] }] }",
      "2000 km"
    ),
    ("{ zones: [{ name: 'x', polygon: [\(manyCorners)] }] }", "3 to 1000"),
    (
      "{ privacy_zones: [{ name: 'x', latitude: 1, longitude: 1, dwell: '5m' }] }",
      "privacy_zones[0].dwell: "
    ),
    ("{ profiles: [{ period: '1m' }] }", "profiles[0].when: missing"),
    ("{ profiles: [{ when: 'moving' }, { when: 'moving' }] }", "profiles[1].when: "),
    ("{ profiles: [{ when: 'driving' }] }", "\"trip\", \"moving\", \"stop\" or \"always\""),
    ("{ profiles: [{ when: 'stop', angle_long_deg: 20 }] }", "angle_deg"),
    ("{ profiles: [{ when: 'stop', beaconing: { slow_speed_kmh: 90 } }] }", "slow_speed_kmh"),
    ("{ profiles: [{ when: 'stop', beaconing: { slow_rate: '1m' } }] }", "fast_rate"),
    ("{ parking: { freeze: 'always' } }", "\"off\", \"ignition\" or \"rest\""),
    ("{ wifi_zones: [{ name: 'x', latitude: 1, longitude: 1 }] }", "ssid"),
    ("{ wifi_zones: [{ name: 'x', ssid: 's', longitude: 1 }] }", "wifi_zones[0].latitude: missing"),
    (
      "{ wifi_zones: [{ name: 'x', address: '02:00', latitude: 1, longitude: 1 }] }",
      "wifi_zones[0].address: "
    ),
    ("{ remote: { locked: ['mian'] } }", "remote.locked[0]: "),
    ("{ remote: { max_silence: 'off' } }", "remote.max_silence: "),
    ("{ usage_profile: 'eco' }", "\"off\" or"),
    ("{ notifications: 'notify' }", "notifications: "), ("{ api: { listen: 'here' } }", "ADDRESS:PORT"),
    ("{ power: { last_until: '2027-02-30' } }", "power.last_until: "),
    ("{ power: { last_until: '2027-2-3' } }", "power.last_until: "),
    ("{ power: { last_until: '+027-02-03' } }", "power.last_until: "), ("{ power: { low: '15 %' } }", "in %"),
    ("{ host: { sleep: 'suspend' } }", "host.down: "),
    ("{ host: { sleep: 'nap', down: '/x' } }", "\"suspend\" or \"halt\""),
    ("{ main: { batch_size: '200' } }", "main.batch_size: "), ("{ tracking: 'yes' }", "true or false"),
  ]

  @Test(arguments: bad)
  func anInvalidCombinationIsRejectedWithItsRemedy(file: String, expectedText: String) {
    let messages = refusals(file: file)
    #expect(messages.count == 1 && messages[0].contains(expectedText), "\(messages)")
    let text = messages.joined(separator: "\n")
    let name = file == "{ zones: [{ name: 'x', polygon: [\(Self.manyCorners)] }] }" ? "1001 corners" : file
    #expect(text == Self.texts.expected("combination: \(name)", text))
  }
}
