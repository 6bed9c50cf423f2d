import Testing
import TextSnapshots

@testable import Settings

@Suite struct EffectTests {
  static let texts = TextSnapshot("settings")

  /// A setting with a configuration in which it has no effect, and one in which it has an effect.
  struct Row: Sendable, CustomTestStringConvertible {
    var path: String
    var idle: String
    var effective: String
    var testDescription: String { path }
  }

  static let battery = "supply: 'battery', gauge: { power_supply: 'BAT0' }"
  static let server = "destinations: [{ name: 'a', kind: 'overland', url: 'https://h/' }]"
  static let files = "destinations: [{ name: 'a', kind: 'file', directory: '/d' }]"
  static let line = "{ chip: '/dev/gpiochip0', line: 4 }"
  static let clock = "rtc: '/dev/rtc0'"
  static let sensor = "accelerometer: { chip: 'lis3dh', bus: '/dev/i2c-1' }"
  static let ignition = "lines: { ignition: \(line) }"
  /// A program that exists on no host.
  static let missing = "/nowhere/program"

  static let table: [Row] = [
    Row(path: "send_interval", idle: "send_interval: '60s'", effective: "send_interval: '60s', \(server)"),
    Row(
      path: "unique_id",
      idle: "unique_id: true, destinations: [{ name: 'a', kind: 'query', url: 'https://h/' }]",
      effective: "unique_id: true, \(server)"),
    Row(
      path: "unique_id",
      idle:
        "unique_id: true, destinations: [{ name: 'a', kind: 'file', directory: '/d', file_format: 'gpx' }]",
      effective: "unique_id: true, \(files)"),
    Row(
      path: "notifications", idle: "notifications: '\(missing)'", effective: "notifications: 'https://h/'"),
    Row(
      path: "notifications", idle: "notifications: ['https://h/', { to: '\(missing)' }]",
      effective: "notifications: [{ to: 'https://h/' }]"),
    Row(
      path: "heartbeat.every", idle: "heartbeat: { every: '5m' }",
      effective: "heartbeat: { every: '5m', url: 'https://h/' }"),
    Row(
      path: "main.desired_accuracy", idle: "main: { desired_accuracy: 'nav' }",
      effective: "main: { desired_accuracy: 'nav', pause_automatically: true }"),
    Row(
      path: "main.background_indicator", idle: "main: { background_indicator: true }",
      effective: "main: { background_indicator: true }, leds: { status: 'ACT' }"),
    Row(
      path: "main.pause_automatically",
      idle: "main: { tracking_mode: 'significant', pause_automatically: false }",
      effective: "main: { tracking_mode: 'standard', pause_automatically: false }"),
    Row(
      path: "main.resume_with_geofence", idle: "main: { resume_with_geofence: '500m' }",
      effective: "main: { resume_with_geofence: '500m', pause_automatically: true }"),
    Row(
      path: "main.pause_delay", idle: "main: { pause_delay: '60s' }",
      effective: "main: { pause_delay: '60s', tracking_mode: 'both' }"),
    Row(
      path: "main.required_motion_duration", idle: "main: { required_motion_duration: '5s' }",
      effective: "main: { required_motion_duration: '5s', tracking_mode: 'significant' }"),
    Row(
      path: "main.logging_mode",
      idle:
        "main: { logging_mode: 'latest' }, destinations: [{ name: 'a', kind: 'query', url: 'https://h/' }]",
      effective: "main: { logging_mode: 'latest' }, \(server)"),
    Row(
      path: "main.batch_size", idle: "main: { batch_size: 100, logging_mode: 'latest' }, \(server)",
      effective: "main: { batch_size: 100 }, \(server)"),
    Row(
      path: "main.min_distance", idle: "main: { min_distance: '10m' }, profiles: [{ when: 'always' }]",
      effective: "main: { min_distance: '10m' }, profiles: [{ when: 'trip' }]"),
    Row(
      path: "main.min_time", idle: "main: { min_time: '5s', tracking_mode: 'off' }",
      effective: "main: { min_time: '5s' }"),
    Row(
      path: "main.accuracy_retry", idle: "main: { accuracy_retry: '30s' }",
      effective: "main: { accuracy_retry: '30s', max_accuracy: '50m' }"),
    Row(
      path: "main.deferred", idle: "main: { deferred: '500m' }, receiver: { gpsd: 'localhost' }",
      effective: "main: { deferred: '500m' }, receiver: { port: '/dev/ttyACM0' }"),
    Row(
      path: "main.check_interval", idle: "main: { check_interval: '300s' }",
      effective: "main: { check_interval: '300s', desired_accuracy: '1km' }"),
    Row(
      path: "main.check_longest", idle: "main: { check_longest: '1h', tracking_mode: 'off' }",
      effective: "main: { check_longest: '1h', tracking_mode: 'off', visit_tracking: true }"),
    Row(
      path: "main.check_distance", idle: "main: { check_distance: '100m' }",
      effective: "main: { check_distance: '100m', pause_automatically: true }"),
    Row(
      path: "trip.desired_accuracy", idle: "trip: { desired_accuracy: 'best' }",
      effective: "trip: { desired_accuracy: '1km' }"),
    Row(
      path: "trip.background_indicator", idle: "trip: { background_indicator: true }",
      effective: "trip: { background_indicator: true }, leds: { status: 'ACT' }"),
    Row(
      path: "trip.logging_mode", idle: "trip: { logging_mode: 'latest' }, \(files)",
      effective: "trip: { logging_mode: 'latest' }, \(server)"),
    Row(
      path: "trip.batch_size", idle: "trip: { batch_size: 10 }",
      effective: "trip: { batch_size: 10 }, \(server)"),
    Row(
      path: "trip.min_distance", idle: "trip: { min_distance: '5m' }, profiles: [{ when: 'trip' }]",
      effective: "trip: { min_distance: '5m' }, profiles: [{ when: 'moving' }]"),
    Row(
      path: "trip.min_time", idle: "trip: { min_time: '5s' }, profiles: [{ when: 'trip' }]",
      effective: "trip: { min_time: '5s' }"),
    Row(
      path: "parking.radius", idle: "parking: { radius: '80m' }",
      effective: "parking: { radius: '80m', delay: '5m' }"),
    Row(
      path: "parking.blind_delay", idle: "parking: { blind_delay: '60s', delay: '5m' }",
      effective: "parking: { blind_delay: '60s', delay: '5m' }, \(sensor)"),
    Row(
      path: "parking.freeze", idle: "parking: { freeze: 'ignition' }",
      effective: "parking: { freeze: 'ignition' }, \(ignition)"),
    Row(
      path: "motion.voltage", idle: "motion: { voltage: 13.1 }",
      effective: "motion: { voltage: 13.1 }, gauge: { power_supply: 'BAT0' }"),
    Row(
      path: "motion.voltage_hold", idle: "motion: { voltage_hold: '60s' }, gauge: { power_supply: 'BAT0' }",
      effective: "motion: { voltage_hold: '60s', voltage: 13.1 }, gauge: { power_supply: 'BAT0' }"),
    Row(
      path: "motion.charger", idle: "motion: { charger: true }",
      effective: "motion: { charger: true }, gauge: { power_supply: 'BAT0' }"),
    Row(
      path: "driving.acceleration_mps2", idle: "driving: { acceleration_mps2: 3 }",
      effective: "driving: { acceleration_mps2: 3 }, \(sensor)"),
    Row(
      path: "driving.braking_mps2", idle: "driving: { braking_mps2: 3 }",
      effective: "driving: { braking_mps2: 3 }, \(sensor)"),
    Row(
      path: "driving.cornering_mps2", idle: "driving: { cornering_mps2: 3 }",
      effective: "driving: { cornering_mps2: 3 }, \(sensor)"),
    Row(
      path: "driving.speed_limit_duration", idle: "driving: { speed_limit_duration: '5s' }",
      effective: "driving: { speed_limit_duration: '5s', speed_limit_kmh: 100 }"),
    Row(
      path: "driving.idling", idle: "driving: { idling: '5m' }",
      effective: "driving: { idling: '5m' }, \(ignition)"),
    Row(
      path: "driving.idling_end", idle: "driving: { idling_end: '9s' }, \(ignition)",
      effective: "driving: { idling_end: '9s', idling: '5m' }, \(ignition)"),
    Row(
      path: "driving.tow", idle: "driving: { tow: '5m' }", effective: "driving: { tow: '5m' }, \(ignition)"),
    Row(
      path: "driving.tow_duration", idle: "driving: { tow_duration: '30s' }, \(ignition)",
      effective: "driving: { tow_duration: '30s', tow: '5m' }, \(ignition)"),
    Row(path: "power.low", idle: "power: { low: 20 }", effective: "power: { low: 20 }, \(battery)"),
    Row(
      path: "power.critical", idle: "power: { critical: 5 }, supply: 'battery'",
      effective: "power: { critical: 5 }, \(battery)"),
    Row(
      path: "power.resume", idle: "power: { resume: 30, low: 'off', critical: 'off' }, \(battery)",
      effective: "power: { resume: 30 }, \(battery)"),
    Row(
      path: "power.low_V", idle: "power: { low_V: 12 }, supply: 'vehicle'",
      effective: "power: { low_V: 12 }, supply: 'vehicle', gauge: { power_supply: 'BAT0' }"),
    Row(
      path: "power.critical_V", idle: "power: { critical_V: 3.3 }, gauge: { power_supply: 'BAT0' }",
      effective: "power: { critical_V: 3.3 }, \(battery)"),
    Row(
      path: "power.resume_V", idle: "power: { resume_V: 3.8 }, \(battery)",
      effective: "power: { resume_V: 3.8, low_V: 3.5 }, \(battery)"),
    Row(
      path: "power.under_V", idle: "power: { under_V: 4.7 }",
      effective: "power: { under_V: 4.7 }, gauge: { power_supply: 'BAT0' }"),
    Row(
      path: "power.over_V", idle: "power: { over_V: 15 }",
      effective: "power: { over_V: 15 }, gauge: { power_supply: 'BAT0' }"),
    Row(
      path: "power.coldest_C", idle: "power: { coldest_C: 0 }",
      effective: "power: { coldest_C: 0 }, \(battery)"),
    Row(
      path: "power.hottest_C", idle: "power: { hottest_C: 50 }, supply: 'vehicle'",
      effective: "power: { hottest_C: 50 }, \(battery)"),
    Row(
      path: "power.last_until", idle: "power: { last_until: '2030-01-01' }, \(battery)",
      effective: "power: { last_until: '2030-01-01', capacity_mAh: 5000 }, \(battery)"),
    Row(
      path: "power.reserve", idle: "power: { reserve: 20, capacity_mAh: 5000 }, \(battery)",
      effective: "power: { reserve: 20, capacity_mAh: 5000, last_until: '2030-01-01' }, \(battery)"),
    Row(
      path: "power.capacity_mAh",
      idle:
        "power: { capacity_mAh: 5000 }, supply: 'battery', gauge: { chip: 'max17048', bus: '/b', capacity_mAh: 6000 }",
      effective: "power: { capacity_mAh: 5000 }, \(battery)"),
    Row(
      path: "network.up", idle: "network: { up: '\(missing)' }, \(server)",
      effective: "network: { up: '/bin/up' }, \(server)"),
    Row(
      path: "network.down", idle: "network: { down: '/bin/down' }",
      effective: "network: { down: '/bin/down' }, \(server)"),
    Row(
      path: "network.rfkill", idle: "network: { rfkill: 'wlan', up: '/bin/up' }, \(server)",
      effective: "network: { rfkill: 'wlan' }, \(server)"),
    Row(
      path: "network.line", idle: "network: { line: \(line), rfkill: 'wlan' }, \(server)",
      effective: "network: { line: \(line) }, \(server)"),
    Row(
      path: "network.settling", idle: "network: { settling: '8s' }, \(server)",
      effective: "network: { settling: '8s', rfkill: 'wlan' }, \(server)"),
    Row(
      path: "network.patience", idle: "network: { patience: '8s' }, \(server)",
      effective: "network: { patience: '8s', up: '/bin/up' }, \(server)"),
    Row(
      path: "network.longest", idle: "network: { longest: '90s', rfkill: 'wlan' }, \(files)",
      effective: "network: { longest: '90s', rfkill: 'wlan' }, \(server)"),
    Row(
      path: "host.sleep", idle: "host: { sleep: 'halt' }, \(clock)",
      effective: "host: { sleep: 'halt' }, \(clock), supply: 'battery'"),
    Row(
      path: "host.down", idle: "host: { sleep: 'halt', down: '\(missing)' }, supply: 'battery'",
      effective: "host: { sleep: 'halt', down: '/bin/down' }, supply: 'battery'"),
    Row(
      path: "host.starting", idle: "host: { starting: '9s' }",
      effective: "host: { starting: '9s', sleep: 'halt' }, \(clock)"),
    Row(
      path: "host.stopping", idle: "host: { stopping: '9s' }",
      effective: "host: { stopping: '9s', sleep: 'halt' }, \(clock)"),
    Row(
      path: "host.least", idle: "host: { least: '60s' }",
      effective: "host: { least: '60s', sleep: 'halt' }, \(clock)"),
    Row(
      path: "host.after_start", idle: "host: { after_start: '60s' }",
      effective: "host: { after_start: '60s', sleep: 'suspend' }, \(clock)"),
    Row(
      path: "host.wakes_on_motion", idle: "host: { wakes_on_motion: true }",
      effective: "host: { wakes_on_motion: true, sleep: 'suspend' }, \(clock)"),
    Row(
      path: "host.while_fed", idle: "host: { while_fed: true }",
      effective: "host: { while_fed: true, sleep: 'suspend' }, \(clock)"),
    Row(
      path: "remote.max_silence", idle: "remote: { max_silence: '1h' }, \(files)",
      effective: "remote: { max_silence: '1h' }, \(server)"),
    Row(
      path: "remote.locked",
      idle:
        "remote: { locked: ['main'] }, destinations: [{ name: 'a', kind: 'overland', url: 'https://h/', may_set: false }]",
      effective: "remote: { locked: ['main'] }, \(server)"),
    Row(
      path: "receiver.speed", idle: "receiver: { gpsd: 'localhost', speed: 9600 }",
      effective: "receiver: { port: '/dev/ttyACM0', speed: 9600 }"),
    Row(
      path: "receiver.target_speed", idle: "receiver: { port: '/d', speed: 9600, target_speed: 38400 }",
      effective: "receiver: { port: '/d', target_speed: 38400 }"),
    Row(
      path: "receiver.control", idle: "receiver: { gpsd: 'localhost', control: 'none' }",
      effective: "receiver: { port: '/d', control: 'none' }"),
    Row(
      path: "receiver.cyclic", idle: "receiver: { port: '/d', cyclic: 'auto' }",
      effective: "receiver: { port: '/d', cyclic: 'auto' }, main: { tracking_mode: 'both' }"),
    Row(
      path: "clock.chrony", idle: "receiver: { gpsd: 'localhost' }, clock: { chrony: true }",
      effective: "receiver: { port: '/d' }, clock: { chrony: true }"),
    Row(
      path: "receiver.gather", idle: "receiver: { gpsd: 'localhost', gather: '3s' }",
      effective: "receiver: { port: '/d', gather: '3s' }"),
    Row(
      path: "leds.status",
      idle:
        "leds: { status: 'ACT' }, main: { background_indicator: false }, trip: { background_indicator: false }",
      effective: "leds: { status: 'ACT' }"),
    Row(
      path: "api.socket", idle: "api: { socket: '/s', enabled: false }", effective: "api: { socket: '/s' }"),
    Row(
      path: "api.listen", idle: "api: { listen: '0.0.0.0:80', token: 'x', enabled: false }",
      effective: "api: { listen: '0.0.0.0:80', token: 'x' }"),
    Row(
      path: "api.token", idle: "api: { token: 'x' }", effective: "api: { listen: '0.0.0.0:80', token: 'x' }"),
    Row(
      path: "api.guest", idle: "api: { guest: 'status' }",
      effective: "api: { listen: '0.0.0.0:80', token: 'x', guest: 'status' }"),
    Row(
      path: "api.names", idle: "api: { names: ['a.example'], enabled: false }",
      effective: "api: { names: ['a.example'] }"),
    Row(
      path: "page.enabled", idle: "api: { enabled: false }, page: { enabled: true }",
      effective: "page: { enabled: true }"),
    Row(
      path: "page.awake", idle: "page: { awake: '10m' }",
      effective: "page: { awake: '10m' }, host: { sleep: 'suspend' }, \(clock)"),
    Row(
      path: "map.tiles", idle: "map: { tiles: '/m.mbtiles' }, page: { enabled: false }",
      effective: "map: { tiles: '/m.mbtiles' }"),
    Row(
      path: "map.attribution", idle: "map: { attribution: 'x' }",
      effective: "map: { attribution: 'x', tiles: '/m.mbtiles' }"),
    Row(
      path: "map.max_zoom", idle: "map: { max_zoom: 9 }",
      effective: "map: { max_zoom: 9, tiles: '/m.mbtiles' }"),
    Row(
      path: "map.lookback", idle: "map: { lookback: '6h' }, api: { enabled: false }",
      effective: "map: { lookback: '6h' }"),
    Row(
      path: "map.min_path_length", idle: "map: { min_path_length: 2 }, page: { enabled: false }",
      effective: "map: { min_path_length: 2 }"),
    Row(
      path: "profiles[].angle_within",
      idle: "profiles: [{ when: 'moving', angle_deg: 20, angle_within: '90m' }]",
      effective: "profiles: [{ when: 'moving', angle_deg: 60, angle_long_deg: 20, angle_within: '90m' }]"),
    Row(
      path: "profiles[].angle_min_speed_kmh", idle: "profiles: [{ when: 'moving', angle_min_speed_kmh: 4 }]",
      effective: "profiles: [{ when: 'moving', angle_deg: 20, angle_min_speed_kmh: 4 }]"),
    Row(
      path: "zones[].radius",
      idle: "zones: [{ name: 'z', polygon: [[1, 1], [1, 1.01], [1.01, 1]], radius: '90m' }]",
      effective: "zones: [{ name: 'z', latitude: 1, longitude: 1, radius: '90m' }]"),
    Row(
      path: "zones[].profile", idle: "zones: [{ name: 'z', latitude: 1, longitude: 1, profile: true }]",
      effective:
        "zones: [{ name: 'z', latitude: 1, longitude: 1, profile: true }], profiles: [{ when: 'in_zone' }]"),
    Row(
      path: "privacy_zones[].radius",
      idle: "privacy_zones: [{ name: 'z', polygon: [[1, 1], [1, 1.01], [1.01, 1]], radius: '90m' }]",
      effective: "privacy_zones: [{ name: 'z', latitude: 1, longitude: 1, radius: '90m' }]"),
  ]

  @Test(arguments: [("manual", true), ("automatic", false)])
  func reconstructedTripsRequireAutomaticTrips(start: String, isIdle: Bool) throws {
    let file =
      "trip: { start: '\(start)' }, destinations: [{ name: 'a', kind: 'overland', url: 'https://h/', "
      + "reconstructed_trips: true }]"
    #expect(try isReported("destinations[].reconstructed_trips", in: file) == isIdle)
  }

  /// Settings of a destination as `key: value`, with the other members of the destination.
  static let destinations: [(setting: String, idle: String, effective: String)] = [
    ("reconstructed_trips: true", "kind: 'query', url: 'https://h/'", "kind: 'file', directory: '/d'"),
    ("url: 'https://h/'", "kind: 'file', directory: '/d'", "kind: 'overland'"),
    ("profile: 'dawarich'", "kind: 'query', url: 'https://h/'", "kind: 'overland', url: 'https://h/'"),
    ("batch_size: 20", "kind: 'query', url: 'https://h/'", "kind: 'overland', url: 'https://h/'"),
    ("token: 'x'", "kind: 'file', directory: '/d'", "kind: 'overland', url: 'https://h/'"),
    (
      "token_in: 'query'", "kind: 'overland', url: 'https://h/'",
      "kind: 'overland', url: 'https://h/', token: 'x'"
    ),
    (
      "token_parameter: 'key'", "kind: 'overland', url: 'https://h/', token: 'x', token_in: 'header'",
      "kind: 'overland', url: 'https://h/', token: 'x'"
    ),
    (
      "user: 'me'", "kind: 'overland', url: 'https://h/'",
      "kind: 'overland', url: 'https://h/', password: 'x'"
    ),
    (
      "password: 'x'", "kind: 'overland', url: 'https://h/', token: 'y'",
      "kind: 'overland', url: 'https://h/', user: 'me'"
    ),
    ("headers: { 'X-A': 'b' }", "kind: 'owntracks', url: 'mqtt://h'", "kind: 'owntracks', url: 'https://h/'"),
    ("ca_file: '/c'", "kind: 'overland', url: 'http://h/'", "kind: 'overland', url: 'https://h/'"),
    (
      "client_certificate: '/c'", "kind: 'overland', url: 'http://h/', client_key: '/k'",
      "kind: 'overland', url: 'https://h/', client_key: '/k'"
    ),
    (
      "client_key: '/k'", "kind: 'overland', url: 'https://h/'",
      "kind: 'owntracks', url: 'mqtts://h', client_certificate: '/c'"
    ),
    ("proxy: 'http://p:80'", "kind: 'file', directory: '/d'", "kind: 'query', url: 'https://h/'"),
    ("gzip: true", "kind: 'query', url: 'https://h/'", "kind: 'query', url: 'https://h/', method: 'post'"),
    ("accept_2xx: true", "kind: 'owntracks', url: 'mqtt://h'", "kind: 'owntracks', url: 'https://h/'"),
    (
      "report_interval: '2h'", "kind: 'overland', url: 'https://h/'",
      "kind: 'overland', profile: 'outrider', url: 'https://h/'"
    ),
    (
      "check_in: '1h'", "kind: 'overland', url: 'https://h/'",
      "kind: 'overland', profile: 'outrider', url: 'https://h/'"
    ),
    (
      "enrol: true", "kind: 'overland', url: 'https://h/'",
      "kind: 'overland', profile: 'outrider', url: 'https://h/'"
    ),
    (
      "whole_speed: true", "kind: 'overland', profile: 'outrider', url: 'https://h/'",
      "kind: 'overland', url: 'https://h/'"
    ),
    ("accept_unrouted: true", "kind: 'owntracks', url: 'https://h/'", "kind: 'owntracks', url: 'mqtt://h'"),
    ("traccar: true", "kind: 'overland', url: 'https://h/'", "kind: 'query', url: 'https://h/'"),
    (
      "in_flight: 5", "kind: 'owntracks', url: 'mqtt://h'",
      "kind: 'owntracks', url: 'mqtt://h', logging_mode: 'all'"
    ),
    ("whole_speed: true", "kind: 'owntracks', url: 'https://h/'", "kind: 'overland', url: 'https://h/'"),
    (
      "historic_stats: true", "kind: 'overland', url: 'https://h/', logging_mode: 'owntracks'",
      "kind: 'overland', url: 'https://h/'"
    ),
    (
      "tid: 'ab'", "kind: 'overland', url: 'https://h/'",
      "kind: 'overland', url: 'https://h/', logging_mode: 'owntracks'"
    ),
    ("method: 'post'", "kind: 'overland', url: 'https://h/'", "kind: 'query', url: 'https://h/'"),
    ("speed_unit: 'm/s'", "kind: 'owntracks', url: 'https://h/'", "kind: 'query', url: 'https://h/'"),
    ("directory: '/d'", "kind: 'overland', url: 'https://h/'", "kind: 'file'"),
    ("file_format: 'gpx'", "kind: 'overland', url: 'https://h/'", "kind: 'file', directory: '/d'"),
    ("timeout: '9s'", "kind: 'file', directory: '/d'", "kind: 'query', url: 'https://h/'"),
    ("may_set: true", "kind: 'file', directory: '/d'", "kind: 'overland', url: 'https://h/'"),
    ("may_ask: true", "kind: 'query', url: 'https://h/'", "kind: 'owntracks', url: 'mqtt://h'"),
  ]

  static let machine = MachineFacts(
    programFault: { $0 == missing ? "does not exist" : nil }, hasWirelessNetwork: { true })
  static let wired = MachineFacts(programFault: { _ in nil }, hasWirelessNetwork: { false })

  /// The settings of a configuration file that are reported to have no effect, by path or member.
  private func reported(_ file: String, on machine: MachineFacts = machine) throws -> [String] {
    try configuration(file: "{ \(file) }").warnings(on: machine).compactMap { warning in
      warning.range(of: ": has no effect because ").map { String(warning[..<$0.lowerBound]) }
    }
  }

  private func isReported(_ path: String, in file: String, on machine: MachineFacts = machine) throws -> Bool
  {
    let reported = try reported(file, on: machine)
    guard let list = path.range(of: "[].") else { return reported.contains(path) }
    return reported.contains {
      $0.hasPrefix("\(path[..<list.lowerBound])[0] (") && $0.hasSuffix("): \(path[list.upperBound...])")
    }
  }

  @Test(arguments: table)
  func aSettingWithoutEffectIsReportedAndOneWithEffectIsNot(_ row: Row) throws {
    #expect(try isReported(row.path, in: row.idle))
    #expect(try !isReported(row.path, in: row.effective))
    let text = try configuration(file: "{ \(row.idle) }").warnings(on: Self.machine).joined(separator: "\n")
    #expect(text == Self.texts.expected("no effect: \(row.idle)", text))
  }

  @Test(arguments: destinations)
  func aSettingThatADestinationCannotUseIsReported(setting: String, idle: String, effective: String) throws {
    let path = "destinations[].\(setting.prefix { $0 != ":" })"
    let trips = "trip: { start: 'automatic' }"
    let file = "\(trips), destinations: [{ name: 'a', \(idle), \(setting) }]"
    #expect(try isReported(path, in: file))
    let text = try configuration(file: "{ \(file) }").warnings(on: Self.machine).joined(separator: "\n")
    #expect(text == Self.texts.expected("no effect: \(idle), \(setting)", text))
    #expect(try !isReported(path, in: "\(trips), destinations: [{ name: 'a', \(effective), \(setting) }]"))
  }

  @Test(arguments: [
    ("wifi_zones", "wifi_zones: [{ name: 'w', ssid: 'n', latitude: 1, longitude: 1 }]"),
    ("wifi_scan", "wifi_scan: '1h'"),
  ])
  func settingsOfWirelessNetworksAreReportedOnAHostWithoutOne(path: String, file: String) throws {
    #expect(try isReported(path, in: file, on: Self.wired))
    #expect(try !isReported(path, in: file, on: Self.machine))
  }

  @Test func everyConditionOfTheSchemaIsInATable() {
    let known = Set(
      Self.table.map(\.path) + ["wifi_zones", "wifi_scan"]
        + Self.destinations.map { "destinations[].\($0.setting.prefix { $0 != ":" })" })
    func conditions<Root>(_ table: SettingTable<Root>, in list: String) -> [String] {
      table.settings.filter(\.hasCondition).map { list + $0.path }
    }
    let declared =
      conditions(Schema.table, in: "") + conditions(DestinationSettings.Field.table, in: "destinations[].")
      + conditions(ProfileSettings.Field.table, in: "profiles[].")
      + conditions(ZoneSettings.Field.table, in: "zones[].")
      + conditions(ZoneSettings.Field.shapeTable, in: "privacy_zones[].")
      + conditions(WifiZoneSettings.Field.table, in: "wifi_zones[].")
    #expect(Set(declared) == known)
  }

  @Test func theReasonNamesTheOtherSetting() throws {
    let file = "{ main: { resume_with_geofence: '500m' }, notifications: '\(Self.missing)' }"
    let warnings = try configuration(file: file).warnings(on: Self.machine)
    #expect(warnings.count == 2)
    let text = warnings.joined(separator: "\n")
    #expect(text == Self.texts.expected("no effect: the other setting", text))
  }

  @Test func onlyGivenSettingsAreReported() throws {
    #expect(try configuration().warnings(on: Self.wired) == [])
    // A board describes the hardware, and a profile stands for several settings.
    let board = "{ main: { pause_delay: '60s' }, receiver: { speed: 9600 }, title: 'b' }"
    #expect(
      try configuration(
        board: board, file: "{ usage_profile: 'high-resolution', receiver: { gpsd: 'localhost' } }"
      ).warnings(on: Self.machine) == [])
    #expect(try reported("main: { pause_delay: '120s' }") == ["main.pause_delay"])
    let warnings = try configuration(set: ["main.pause_delay=120s"]).warnings(on: Self.machine)
    #expect(warnings.count == 1)
    #expect(warnings == [Self.texts.expected("no effect: pause delay", warnings.joined())])
  }

  @Test func aSettingThatIsSwitchedOffIsNotReported() throws {
    let file =
      "main: { background_indicator: false, resume_with_geofence: 'off' }, driving: { idling: 'off', tow: 'off', "
      + "acceleration_mps2: 'off' }, power: { low: 'off' }, network: { up: 'off' }, parking: { freeze: 'off' }"
    #expect(try reported(file) == [])
  }

  @Test func anOverriddenSettingIsCheckedWithTheStoredValue() throws {
    let sources = ConfigurationSources(
      file: SourceText(
        name: "config.json5", bytes: Array("{ main: { pause_automatically: true, pause_delay: '60s' } }".utf8)
      ),
      fallbacks: Fallbacks(deviceID: "host", apiSocket: "/s"))
    var layers = StoredLayers()
    #expect(try !sources.configuration(layers).warnings.contains { $0.contains("has no effect") })
    layers.operator["main.pause_automatically"] = "false"
    let warnings = try sources.configuration(layers).warnings
    #expect(warnings == [Self.texts.expected("no effect: pause delay", warnings.joined())])
  }
}
