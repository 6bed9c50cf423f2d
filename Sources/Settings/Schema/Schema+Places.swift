// Places that mean something, and what a server may do from afar.

extension Schema {
  static let zones = Of<[ZoneSettings]>(
    "zones", \.zones, .list(of: ZoneSettings.Field.table, named: "name", \.name, empty: ZoneSettings()),
    default: [], applies: .atOnce, effect: .always,
    "Circles and polygons whose crossing is an event of some 100 bytes in the log. A phone knows none but that of a pause."
  )
  static let privacyZones = Of<[ZoneSettings]>(
    "privacy_zones", \.privacyZones,
    .list(of: ZoneSettings.Field.borders, named: "name", \.name, empty: ZoneSettings()), default: [],
    applies: .atOnce, effect: .always,
    "Circles and polygons in which no position is written and from which none is sent, from the moment they are set; what "
      + "the log held before stays in it, and what servers have is theirs. A phone knows none.")
  static let wifiZones = Of<[WifiZoneSettings]>(
    "wifi_zones", \.wifiZones,
    .list(of: WifiZoneSettings.Field.table, named: "name", \.name, empty: WifiZoneSettings()), default: [],
    applies: .atOnce, effect: .requires(.wireless),
    "Networks whose place is known. The place is recorded when the network is joined, at position checks and for "
      + "outrider send, without the receiver, and each fix is recorded as that place. Fixes more than 500 m away win. A "
      + "phone has one, by its name; a name alone can be imitated, an address less easily. The kernel tells the network: "
      + "it costs nothing."
  )
  static let wifiScan = Of<Duration?>(
    "wifi_scan", \.wifiScan, .offOr(.duration(.seconds(60) ... .days(1))), default: nil, applies: .atOnce,
    effect: .requires(.wireless),
    "Least time between two scans for access points while the box rests, each with a wake-up that comes anyway: where all "
      + "of a place are gone and others are heard, the receiver looks. A scan costs some seconds of the radio's current "
      + "and wants CAP_NET_ADMIN; without it what another program scanned is taken. A phone does it by itself."
  )

  static let maxSilence = Of<Duration>(
    "remote.max_silence", \.remote.maxSilence, .duration(.seconds(1) ... .days(30)), default: .days(1),
    applies: .atOnce, effect: .requires(.settingServer),
    "How long a box of which a server has changed what is recorded or sent may be out of reach: where it was for half of "
      + "it, it checks in with a fresh position, which costs a fix and a radio session; a server's change that has not "
      + "proved itself is taken back at the whole. A phone stays silent.")
  static let locked = Of<[String]>(
    "remote.locked", \.remote.locked, .settingNames, default: [], applies: .atOnce,
    effect: .requires(.settingServer),
    "Settings, or groups of them such as main, that no server changes; what one has set there is forgotten.")
}
