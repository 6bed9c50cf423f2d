// swift-tools-version: 6.0
import PackageDescription

/// The targets of one layer, in its folder of Sources. A target depends on its own layer and on those above it here.
func layer(_ folder: String, _ targets: [Target]) -> [Target] {
  for target in targets { target.path = "Sources/\(folder)/\(target.name)" }
  return targets
}

// Module maps and inline wrappers for kernel headers and Debian libraries, without logic.
let shims = layer(
  "Shims",
  [
    .systemLibrary(name: "CLinux"),
    .target(name: "CSerial"),
    .systemLibrary(name: "CSQLite"),
    .systemLibrary(name: "CZlib"),
    .systemLibrary(name: "CCurl"),
    .systemLibrary(name: "CMicroHTTPD"),
    .systemLibrary(name: "CMosquitto"),
    .systemLibrary(name: "CXXHash"),
    .systemLibrary(name: "CQRencode"),
    .systemLibrary(name: "CGPSD"),
    .systemLibrary(name: "CI2C"),
    .systemLibrary(name: "CGPIO"),
    .systemLibrary(name: "CNetlink", pkgConfig: "libnl-genl-3.0"),
  ])

// Data types, decoders and decisions, without input, output or clock.
let domain = layer(
  "Domain",
  [
    .target(name: "Quantities"),
    .target(name: "JSON"),
    .target(name: "Records", dependencies: ["Quantities"]),
    .target(name: "GNSS", dependencies: ["Quantities"]),
    .target(name: "Chips", dependencies: ["Quantities"]),
    .target(name: "Motion", dependencies: ["Quantities"]),
    .target(name: "Settings", dependencies: ["Quantities", "JSON"]),
    .target(name: "Provisioning", dependencies: ["Settings", "Quantities", "JSON"]),
    .target(name: "BoardSetup", dependencies: ["Settings"]),
    .target(name: "Energy", dependencies: ["Quantities"]),
    .target(name: "Medium", dependencies: ["Quantities"]),
    .target(name: "Doctor", dependencies: ["Medium", "Quantities", "Settings"]),
    .target(
      name: "Tracking", dependencies: ["Quantities", "Records", "GNSS", "Motion", "Settings", "Energy"]),
    .target(name: "Formats", dependencies: ["Quantities", "Records"]),
  ])

// Virtual receivers and chips, and days that are lived through the tracker.
let simulation = layer(
  "Simulation",
  [
    .target(
      name: "Simulation",
      dependencies: ["Quantities", "Records", "Chips", "GNSS", "Energy", "Tracking", "Settings"])
  ])

// The event loop, devices, database, HTTP and MQTT, each a wrapper around its own C target.
let platform = layer(
  "Platform",
  [
    .target(name: "SystemLoop", dependencies: ["Quantities", "CLinux"]),
    .target(
      name: "Devices",
      dependencies: [
        "SystemLoop", "GNSS", "Chips", "CLinux", "CSerial", "CGPSD", "CI2C", "CGPIO", "CNetlink",
        "Quantities",
      ]),
    .target(
      name: "Inspection",
      dependencies: [
        "CLinux", "Chips", "Devices", "Doctor", "GNSS", "Medium", "Quantities", "Settings", "SystemLoop",
      ]),
    .target(name: "SetupFiles", dependencies: ["BoardSetup", "JSON", "Quantities", "SystemLoop"]),
    .target(name: "Database", dependencies: ["CSQLite", "CZlib"]),
    .target(name: "QRCode", dependencies: ["CQRencode", "CZlib"]),
    .target(name: "HTTPClient", dependencies: ["Quantities", "SystemLoop", "CCurl", "CZlib"]),
    .target(name: "MQTTClient", dependencies: ["Quantities", "SystemLoop", "CMosquitto"]),
    .target(name: "HTTPServer", dependencies: ["Quantities", "SystemLoop", "CMicroHTTPD", "CZlib"]),
  ])

// The parts of the logger: the log, deliveries, the local API, the daemon that connects all parts; and the collector.
let service = layer(
  "Service",
  [
    .target(
      name: "Store", dependencies: ["Database", "JSON", "Records", "SystemLoop", "CLinux", "Quantities"]),
    .target(
      name: "Uplink",
      dependencies: ["Formats", "JSON", "Records", "SystemLoop", "HTTPClient", "MQTTClient", "Quantities"]),
    .target(
      name: "LocalAPI",
      dependencies: ["Database", "HTTPServer", "JSON", "Quantities", "Records", "Store", "SystemLoop"]),
    .target(
      name: "Daemon",
      dependencies: [
        "SystemLoop", "Devices", "Chips", "GNSS", "Inspection", "Medium", "Motion", "Energy", "Tracking",
        "Settings", "Store", "Uplink", "Formats", "LocalAPI", "HTTPClient", "HTTPServer", "MQTTClient",
        "Records", "Database",
        "Quantities",
      ]),
    .target(
      name: "Collector",
      dependencies: ["Quantities", "JSON", "SystemLoop", "HTTPServer", "Database", "CXXHash"]),
  ])

// The command line with all commands, and measurements for scripts/bench, which are not installed.
let programs = layer(
  "Programs",
  [
    .executableTarget(
      name: "outrider",
      dependencies: [
        "BoardSetup", "SetupFiles", "QRCode", "Daemon", "Collector", "Doctor", "Inspection", "Simulation",
        "Devices",
        "Chips", "GNSS", "Medium", "Tracking",
        "Settings", "LocalAPI", "Provisioning", "Store", "Uplink", "MQTTClient", "Formats", "HTTPClient",
        "HTTPServer", "Motion", "Energy",
        "SystemLoop", "JSON", "CZlib", "Database", "Quantities", "Records",
      ]),
    .executableTarget(
      name: "Bench",
      dependencies: [
        "Daemon", "Store", "Database", "Settings", "HTTPClient", "Formats", "Records", "SystemLoop",
        "Quantities", "Chips",
      ]),
  ])

// One folder per target, after the code that several of them share.
let tests: [Target] = [
  .target(
    name: "TestSupport",
    dependencies: ["Quantities", "SystemLoop", "Chips", "Devices", "Simulation", "CMosquitto", "CSerial"],
    path: "Tests/TestSupport"
  ),
  .executableTarget(
    name: "SimulatedDay",
    dependencies: [
      "Chips", "Collector", "Daemon", "LocalAPI", "Quantities", "Settings", "Simulation", "SystemLoop",
      "TestSupport",
    ], path: "Tests/SimulatedDay"),
  .target(name: "HostileJSON", dependencies: ["Quantities"], path: "Tests/HostileJSON"),
  .target(name: "TextSnapshots", path: "Tests/TextSnapshots"),
  .target(
    name: "DaySupport", dependencies: ["Quantities", "Records", "GNSS", "Energy", "Tracking"],
    path: "Tests/DaySupport"
  ),
  .testTarget(name: "TextSnapshotsTests", dependencies: ["TextSnapshots"]),
  .testTarget(name: "QuantitiesTests", dependencies: ["Quantities"]),
  .testTarget(name: "RecordsTests", dependencies: ["Records", "TextSnapshots"]),
  .testTarget(name: "JSONTests", dependencies: ["JSON", "HostileJSON", "Quantities"]),
  .testTarget(
    name: "GNSSTests", dependencies: ["GNSS", "Simulation", "TestSupport", "Quantities"],
    exclude: ["Findings"]),
  .testTarget(name: "ChipsTests", dependencies: ["Chips", "Quantities"]),
  .testTarget(name: "MotionTests", dependencies: ["Motion", "Quantities", "TestSupport"]),
  .testTarget(
    name: "SettingsTests", dependencies: ["TextSnapshots", "Settings", "JSON", "HostileJSON", "Quantities"]),
  .testTarget(name: "ProvisioningTests", dependencies: ["Provisioning", "Settings", "Quantities"]),
  .testTarget(
    name: "BoardSetupTests",
    dependencies: ["BoardSetup", "Quantities", "Settings", "SetupFiles"]),
  .testTarget(
    name: "FormatsTests", dependencies: ["Formats", "Quantities", "Records"], exclude: ["Golden"]),
  .testTarget(name: "SystemLoopTests", dependencies: ["SystemLoop", "Quantities"]),
  .testTarget(name: "EnergyTests", dependencies: ["Energy", "Quantities"]),
  .testTarget(name: "QRCodeTests", dependencies: ["QRCode"]),
  .testTarget(name: "MediumTests", dependencies: ["Medium", "Quantities"]),
  .testTarget(
    name: "TrackingTests",
    dependencies: [
      "TextSnapshots", "Tracking", "GNSS", "Energy", "Settings", "DaySupport", "Quantities", "Records",
    ]),
  .testTarget(
    name: "SimulationTests",
    dependencies: ["Simulation", "GNSS", "Chips", "Energy", "Tracking", "Quantities"]),
  .testTarget(
    name: "DevicesTests",
    dependencies: [
      "TextSnapshots",
      "Devices", "GNSS", "Chips", "HostileJSON", "Simulation", "TestSupport", "CLinux", "CSerial",
      "Quantities", "SystemLoop",
    ]),
  .testTarget(
    name: "DoctorTests",
    dependencies: [
      "TextSnapshots", "Doctor", "Inspection", "Devices", "MQTTClient", "Medium", "Quantities", "Settings",
      "SystemLoop",
    ]),
  .testTarget(name: "DatabaseTests", dependencies: ["Database"]),
  .testTarget(
    name: "StoreTests",
    dependencies: [
      "TextSnapshots", "Store", "Database", "HostileJSON", "Quantities", "Records", "SystemLoop",
    ]),
  .testTarget(
    name: "HTTPClientTests",
    dependencies: ["TextSnapshots", "HTTPClient", "TestSupport", "Quantities", "SystemLoop"]),
  .testTarget(
    name: "HTTPServerTests",
    dependencies: ["TextSnapshots", "HTTPServer", "TestSupport", "Quantities", "SystemLoop"]),
  .testTarget(
    name: "UplinkTests",
    dependencies: [
      "TextSnapshots",
      "Uplink", "MQTTClient", "HostileJSON", "TestSupport", "Formats", "HTTPClient", "Quantities",
      "Records", "SystemLoop",
    ]),
  .testTarget(
    name: "CollectorTests",
    dependencies: [
      "TextSnapshots",
      "Collector", "Database", "HTTPClient", "HTTPServer", "HostileJSON", "Quantities", "TestSupport",
      "SystemLoop",
    ]),
  .testTarget(
    name: "DaemonTests",
    dependencies: [
      "TextSnapshots",
      "Daemon", "Chips", "Collector", "Database", "Devices", "Energy", "Formats", "GNSS", "HTTPClient",
      "LocalAPI",
      "HostileJSON", "MQTTClient", "Medium", "Motion", "Quantities", "Records", "Settings", "Simulation",
      "Store",
      "TestSupport", "Tracking", "Uplink", "HTTPServer", "SystemLoop",
    ]),
  .testTarget(
    name: "DayTests",
    dependencies: [
      "DaySupport", "Daemon", "Tracking", "Store", "Uplink", "Database", "Formats", "HTTPClient", "GNSS",
      "Chips", "Simulation", "Energy", "Settings", "Records", "Quantities", "CSQLite", "Devices", "Motion",
    ]),
  .testTarget(name: "DocumentationTests", dependencies: ["Settings"]),
  .testTarget(
    name: "ProgramTests",
    dependencies: [
      "TextSnapshots",
      "outrider", "Chips", "Devices", "GNSS", "LocalAPI", "Simulation", "Store", "Database",
      "TestSupport",
      "Quantities", "Records", "Settings", "SystemLoop",
    ]),
]

let package = Package(
  name: "outrider",
  targets: shims + domain + simulation + platform + service + programs + tests,
  swiftLanguageModes: [.v6]
)

// The logger wakes up once a second, with cold caches. A release orders its functions as a wake-up calls them, so that
// it loads fewer pages; scripts/measure --layout writes the list.
for target in package.targets where target.type == .regular || target.type == .executable {
  target.swiftSettings = [.unsafeFlags(["-Xfrontend", "-function-sections"], .when(configuration: .release))]
}
for target in package.targets where target.name == "outrider" {
  target.linkerSettings = [
    .unsafeFlags(
      [
        "-use-ld=lld", "-Xlinker", "--symbol-ordering-file=\(Context.packageDirectory)/scripts/layout.order",
        "-Xlinker", "--no-warn-symbol-ordering", "-Xlinker", "--no-export-dynamic", "-Xlinker", "-z",
        "-Xlinker", "pack-relative-relocs",
      ], .when(configuration: .release))
  ]
}
