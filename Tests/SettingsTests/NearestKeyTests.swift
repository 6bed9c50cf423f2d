import Testing
import TextSnapshots

import Settings

/// The suggestions for unknown keys; there is none if no key is similar.
@Suite struct NearestKeyTests {
  static let texts = TextSnapshot("settings")

  static let typed: [(key: String, meant: String?)] = [
    // A typing error in the key or in its group.
    ("receiver.prt", "receiver.port"), ("storage.directry", "storage.directory"),
    ("main.min_distnce", "main.min_distance"), ("strage", "storage"),
    ("strage.directory", "storage.directory"),
    ("mian.min_tme", "main.min_time"), ("destinations.tokn", "destinations[].token"),
    ("destinations[0].tokn", "destinations[].token"),
    // Other dots, dashes and capitals.
    ("deviceId", "device_id"), ("device-id", "device_id"), ("trip.mode", "trip_mode"),
    ("mainMinTime", "main.min_time"),
    // The names in other programs.
    ("receiver.baud", "receiver.speed"), ("baud", "receiver.speed"), ("receiver.device", "receiver.port"),
    ("api.port", "api.listen"), ("battery", "gauge"), ("led.status", "leds.status"),
    ("main.mode", "main.tracking_mode"), ("name", "device_id"),
    // A part of the word, or its last part in another group.
    ("driving.speed_limit", "driving.speed_limit_kmh or driving.speed_limit_duration"),
    ("interval", "send_interval"), ("mode", "trip_mode or main.tracking_mode"),
    ("device", "device_id or receiver.port"), ("port", "receiver.port or api.listen"),
    ("token", "destinations[].token or api.token"), ("url", "destinations[].url or heartbeat.url"),
    ("min_time", "main.min_time or trip.min_time"), ("gps.port", "receiver.port or api.listen"),
    ("main.accuracy", "main.desired_accuracy, main.max_accuracy or main.accuracy_retry"),
    ("main.send_interval", "destinations[].send_interval or send_interval"),
    ("zones.dwell", "zones[].dwell"), ("direktory", "destinations[].directory or storage.directory"),
    // Too different, or too many.
    ("zebra", nil), ("receiver.bird", nil), ("receiver.name.x", nil), ("chip", nil), ("x", nil), ("", nil),
    (".", nil),
    ("gps.name", nil),
    ("longitude.latitude", "zones[].latitude, privacy_zones[].latitude or wifi_zones[].latitude"),
    (String(repeating: "main.min_time.", count: 9), nil),
  ]

  @Test(arguments: typed)
  func onlyTheLikelyKeyIsSuggested(typed: (key: String, meant: String?)) {
    #expect(SettingsReference.names(meantBy: typed.key) == typed.meant)
  }

  /// Removes the last letter of every key, and replaces a letter in its middle.
  @Test func aKeyWithAMissingOrWrongLetterIsFound() {
    for path in Configuration.settings.map(\.path) where !path.hasSuffix("_V") {
      let last = path.split(separator: ".").last.map(String.init) ?? path
      guard last.utf8.count > 3 else { continue }
      var wrong = Array(path)
      wrong[wrong.count - last.count / 2] = "q"
      for typed in [String(path.dropLast()), String(wrong)] where typed != path {
        #expect(SettingsReference.names(meantBy: typed) == path, "\(typed)")
      }
    }
  }

  @Test func onlySettingsWithAValueAreSuggestedToUnset() {
    #expect(SettingsReference.settings(meantBy: "destinations.home.send_interval") == "send_interval")
    #expect(SettingsReference.settings(meantBy: "main.min_tme") == "main.min_time")
    #expect(SettingsReference.settings(meantBy: "storag") == nil)
  }

  static let named: [(name: String, paths: [String])] = [
    ("send_interval", ["send_interval"]), ("destinations[].token", ["destinations[].token"]),
    ("destinations.token", ["destinations[].token"]), ("destinations.home.token", ["destinations[].token"]),
    ("destinations[0].token", ["destinations[].token"]),
    ("destinations.a.b.send_interval", ["destinations[].send_interval"]),
    ("destinations.home.main.batch_size", ["main.batch_size"]), ("zones.dwell", ["zones[].dwell"]),
    (
      "lines",
      ["lines.ignition", "lines.ignition.chip", "lines.ignition.line", "lines.ignition.active_low"]
    ), ("zones.home.tracking", []), ("destinations.unique_id", []),
    ("destinations.home.unique_id", []), ("destinations.home.device_id", ["destinations[].device_id"]),
    ("main.send_interval", []), ("", []),
  ]

  @Test(arguments: named)
  func aSettingIsFoundByEveryNotation(named: (name: String, paths: [String])) {
    #expect(SettingsReference.settings(named: named.name).map(\.path) == named.paths)
  }

  static let destination = "name: 'home', kind: 'overland', url: 'http://h'"

  static let misplaced: [(file: String, key: String)] = [
    (
      "{ destinations: [{ \(destination), unique_id: true }] }",
      "destinations[0].unique_id"
    ),
    (
      "{ main: { send_interval: '5m' } }",
      "main.send_interval"
    ),
    (
      "{ accelerometer: { chip: 'c', bus: '/b', supply: 'mains' } }",
      "accelerometer.supply"
    ),
    // The group has a similar key.
    ("{ gauge: { supply: 'BAT0' } }", "gauge.supply"),
    (
      "{ main: { tracking: 'off' } }",
      "main.tracking"
    ),
    (
      "{ main: { 'main.min_time': '5s' } }",
      #"main."main.min_time""#
    ),
  ]

  @Test(arguments: misplaced)
  func theErrorForAMisplacedKeySaysWhereItBelongs(misplaced: (file: String, key: String)) {
    let messages = refusals(file: misplaced.file)
    #expect(messages.count == 1 && messages[0].contains(" \(misplaced.key): "), "\(messages)")
    let text = messages.joined(separator: "\n")
    #expect(text == Self.texts.expected("misplaced key: \(misplaced.key)", text))
  }

  static let parts: [(key: String, whole: String)] = [
    ("destinations.home.token", "destinations"), ("destinations[0].token", "destinations"),
    ("zones.yard.radius", "zones"), ("accelerometer.interrupt.line", "accelerometer"),
  ]

  @Test(arguments: parts)
  func theErrorForAPartOfAListNamesTheList(part: (key: String, whole: String)) {
    let messages = refusals(set: ["\(part.key)=5"])
    #expect(messages.count == 1 && messages[0].hasSuffix(" \(part.whole)=…"), "\(messages)")
    let text = messages.joined(separator: "\n")
    #expect(text == Self.texts.expected("part of a list: \(part.key)", text))
  }
}
