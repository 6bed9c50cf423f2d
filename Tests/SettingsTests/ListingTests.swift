import Testing

@testable import Settings

/// The listing has the format of a file, so that the logger accepts its values.
@Suite struct ListingTests {
  static let line = #"{ chip: "/dev/gpiochip0", line: 17, active_low: true }"#
  static let circle = #"{ name: "yard", latitude: 52.5, longitude: 13.25, radius: "80m" }"#
  static let polygon = #"{ name: "field", polygon: [[52.5, 13.25], [52.75, 13.25], [52.75, 13.5]] }"#

  /// A file with a value for every setting whose default is none or off.
  static let file = """
    {
      board: "/etc/outrider/board.json5", device_id: "van",
      usage_profile: "high-resolution", notifications: "/usr/local/bin/tell",
      destinations: [
        {
          name: "home", kind: "overland", url: "https://example.org/", profile: "wayfinder", logging_mode: "latest",
          batch_size: 20, send_interval: "90s", token: "t\\"o k", token_in: "query", token_parameter: "key", user: "me",
          password: "pass", headers: { "X-Key": "head" },
          ca_file: "/ca.pem", client_certificate: "/c.pem", client_key: "/k.pem", proxy: "http://proxy:3128",
          gzip: true, accept_2xx: true, whole_speed: true, reconstructed_trips: true, tid: "ab", method: "post", speed_unit: "km/h",
          timeout: "1500ms", may_set: true, may_ask: true,
        },
        { name: "disk", kind: "file", directory: "/tracks", file_format: "both", send_interval: "off" },
      ],
      main: {
        resume_with_geofence: "1500m", min_distance: "12.5m", max_accuracy: "40m", accuracy_retry: "45s",
        quiet_speed_mps: 0.5, deferred: "100m",
      },
      trip: { min_distance: "3m" },
      profiles: [
        {
          when: "moving", period: "2m", distance: "300m", angle_deg: 60, angle_long_deg: 20.5, speed_kmh: 20,
          beaconing: { slow_rate: "10m", turn_slope: 12.5 }, min_interval: "2s",
        },
        { when: "stop", period: "1h", ceiling: "6h", transition: true, event: true },
      ],
      parking: { delay: "5m" },
      zones: [\(circle), { name: "gate", latitude: -33.5, longitude: -70.25, dwell: "10m", profile: true }, \(polygon)],
      privacy_zones: [\(circle)],
      wifi_zones: [{ name: "depot", ssid: "net", address: "02:00:5E:10:00:01", latitude: 52.5, longitude: 13.25 }],
      wifi_scan: "10m",
      motion: { voltage: 13.1 },
      driving: { speed_limit_kmh: 130.5, idling: "5m", tow: "5m" },
      power: {
        low_V: 11.9, critical_V: 11.5, resume_V: 12.25, under_V: 11, over_V: 15, last_until: "2027-03-01",
        capacity_mAh: 2000,
      },
      network: { up: "/up", down: "/down", rfkill: "wlan", line: \(line) },
      host: { sleep: "halt", down: "/sleep", starting: "15s", stopping: "3s" },
      remote: { locked: ["main", "send_interval"] },
      receiver: {
        port: "/dev/serial0", speed: 9600, target_speed: 38400, module: "u-blox MAX-M10S",
        enable: { chip: "/dev/gpiochip0", line: 27 },
      },
      accelerometer: { chip: "lis3dh", bus: "/dev/i2c-1", address: 0x18, interrupt: { chip: "/dev/gpiochip0", line: 5 } },
      power_manager: { chip: "witty-pi-4", bus: "/dev/i2c-1", dead_man: "12h", low_V: 3.3, recover_V: 3.7 },
      gauge: {
        chip: "ina226", bus: "/dev/i2c-1", address: 0x40, shunt_ohm: 0.02, largest_current_A: 4, capacity_mAh: 2000,
        cells: 4, reversed: true,
      },
      lines: { ignition: { chip: "/dev/gpiochip1", line: 0 } },
      leds: { status: { chip: "/dev/gpiochip1", line: 5 } },
      rtc: "/dev/rtc0",
      storage: { endurance: "30TB" },
      clock: { chrony: "/run/chrony.van.sock" },
      energy: { host_idle: { mA: 120.5, V: 5, source: "measured" }, modem_tail_lasts: "12s" },
      heartbeat: { url: "https://hc-ping.com/key", every: "90m" },
      api: { listen: "[::]:8017", token: "secret", guest: "status", names: ["gw.example.net"] },
      share: { gpsd: "127.0.0.1:2947" },
      map: {
        tiles: "https://tile.example.org/{z}/{x}/{y}.png", attribution: "© OpenStreetMap", max_zoom: 17,
        lookback: "36h", min_path_length: 5,
      },
    }
    """

  /// A file with alternative forms: a shared receiver, a battery of the kernel, a light by its name.
  static let otherForms = """
    {
      receiver: { gpsd: "[::1]:2948" }, gauge: { power_supply: "BAT0", cells: 3 }, leds: { status: "ACT" },
      accelerometer: { chip: "lis3dh", bus: "/dev/i2c-1" }, map: { tiles: "/var/lib/outrider/map.mbtiles" },
      notifications: [
        { to: "/a", kinds: ["trips", "receiver_lost"], quiet: "22:00-06:00", at_most: "3 per 10m", form: "text" }, "/b",
      ],
    }
    """

  /// A file that uses every GPIO line.
  static let lines = """
    {
      network: { line: { chip: "/c", line: 1 } }, lines: { ignition: { chip: "/c", line: 2 } },
      receiver: { enable: { chip: "/c", line: 3 } }, leds: { status: { chip: "/c", line: 4 } },
      accelerometer: { chip: "lis3dh", bus: "/b", interrupt: { chip: "/c", line: 5 } },
    }
    """

  static let files = ["everything": file, "other forms": otherForms, "nothing": "{}"]

  /// Settings whose value the listing hides in part.
  static let hidden = ["destinations", "heartbeat.url", "api.token"]

  @Test(arguments: ["everything", "other forms", "nothing"])
  func everyListedValueIsAccepted(name: String) throws {
    let file = try #require(Self.files[name])
    let read = try configuration(file: file)
    let rows = read.rows
    for setting in Configuration.listed {
      let value = setting.written(in: read, revealing: true)
      if !Self.hidden.contains(setting.path) {
        #expect(rows.first { $0.setting.path == setting.path }?.json == value.json)
      }
      guard value != .null else { continue }
      let again = try configuration(file: file, set: ["\(setting.path)=\(value.assigned)"])
      #expect(!setting.differs(again, read) && again.origins[setting.path] == .override, "\(setting.path)")
    }
  }

  @Test(arguments: ["everything", "other forms"])
  func aFileOfListedValuesSetsTheSame(name: String) throws {
    let file = try #require(Self.files[name])
    let read = try configuration(file: file)
    var members: [String: JSONValue] = [:]
    for setting in Configuration.listed {
      let value = setting.written(in: read, revealing: true)
      guard value != .null else { continue }
      guard let dot = setting.path.firstIndex(of: ".") else {
        members[setting.path] = value
        continue
      }
      let (outer, inner) = (String(setting.path[..<dot]), String(setting.path[dot...].dropFirst()))
      var group: [String: JSONValue] = [:]
      if case .group(let known)? = members[outer] { group = known }
      group[inner] = value
      members[outer] = .group(group)
    }
    let again = try configuration(file: JSONValue.group(members).json)
    for setting in Configuration.listed {
      #expect(!setting.differs(again, read), "\(setting.path)")
    }
  }

  @Test func everySettingHasAValueInOneOfTheFiles() throws {
    let rows = try configuration(file: Self.file).rows + configuration(file: Self.otherForms).rows
    let given = Set(rows.filter { !["null", "[]", "\"off\"", "{}"].contains($0.json) }.map(\.setting.path))
    #expect(Configuration.settings.map(\.path).filter { !given.contains($0) } == [])
  }
}
