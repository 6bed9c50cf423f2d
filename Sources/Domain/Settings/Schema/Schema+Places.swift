// Settings of zones and of remote settings.

extension Schema {
  static let zones = Of<[ZoneSettings]>(
    "zones", \.zones, .list(of: ZoneSettings.Field.table, named: "name", \.name, empty: ZoneSettings()),
    default: [], applies: .atOnce, effect: .always,
    "Circles and polygons whose entry and exit are events. An event takes about 100 bytes in the log.")
  static let privacyZones = Of<[ZoneSettings]>(
    "privacy_zones", \.privacyZones,
    .list(of: ZoneSettings.Field.shapeTable, named: "name", \.name, empty: ZoneSettings()), default: [],
    applies: .atOnce, effect: .always,
    "Circles and polygons whose locations are neither stored nor sent, from the moment they are set. "
      + "Earlier records stay in the log and on the servers.")
  static let wifiZones = Of<[WifiZoneSettings]>(
    "wifi_zones", \.wifiZones,
    .list(of: WifiZoneSettings.Field.table, named: "name", \.name, empty: WifiZoneSettings()), default: [],
    applies: .atOnce, effect: .requires(.wireless),
    "Wi-Fi networks with known coordinates. The coordinates are recorded when the network is joined, "
      + "at position checks and for outrider send, without the receiver. Fixes are recorded with them, "
      + "too, unless they are more than 500 m away. A name alone can be imitated, a hardware address "
      + "less easily. The kernel reports the network, which costs nothing.")
  static let wifiScan = Of<Duration?>(
    "wifi_scan", \.wifiScan, .offOr(.duration(.seconds(60) ... .days(1))), default: nil, applies: .atOnce,
    effect: .requires(.wireless),
    "Shortest time between two scans for access points while stationary. A scan uses a wake-up that "
      + "comes anyway. If all access points of a location are gone and others are found, a position "
      + "check follows. A scan costs some seconds of the radio's current and requires CAP_NET_ADMIN. "
      + "Without CAP_NET_ADMIN, scans of other programs are used.")

  static let maxSilence = Of<Duration>(
    "remote.max_silence", \.remote.maxSilence, .duration(.seconds(1) ... .days(30)), default: .days(1),
    applies: .atOnce, effect: .requires(.settingServer),
    "Longest time without proof that the device still reaches a server that has changed its "
      + "settings. After half of it, a check-in sends a fresh location, which costs a fix and a radio "
      + "session. After the whole of it, a change that is not proven is rolled back.")
  static let locked = Of<[String]>(
    "remote.locked", \.remote.locked, .settingNames, default: [], applies: .atOnce,
    effect: .requires(.settingServer),
    "Settings, or groups of settings such as main, that servers cannot change. Values that a server "
      + "has set there are forgotten.")
}
