import Foundation
import Testing

@testable import Settings

/// A property without a declaration cannot be set, a declaration outside of its table has no effect, and neither has a
/// property that nobody reads. All of that compiles.
@Suite struct DeclarationTests {
  /// The properties of a configuration that are no settings.
  static let bookkeeping: Set<String> = [
    "origins", "destinationLayer", "givenMembers", "storedFaults", "overriddenKeys",
  ]
  /// The groups that are one setting.
  static let whole: Set<String> = ["energy", "boardSystem"]

  private static func properties(of value: Any) -> [String] {
    Mirror(reflecting: value).children.compactMap(\.label)
  }

  private static func isGroup(_ child: Mirror.Child) -> Bool {
    "\(type(of: child.value))".hasSuffix("Settings") && !whole.contains(child.label ?? "")
  }

  @Test func everyPropertyOfTheConfigurationIsDeclaredOnce() {
    let settings = Schema.table.settings
    #expect(Set(settings.map { $0.property }).count == settings.count, "two declarations have one property")
    #expect(Set(settings.map(\.path)).count == settings.count, "two declarations have one path")
    let children = Mirror(reflecting: Configuration(fallbacks: Fallbacks(deviceID: "", apiSocket: "")))
      .children.filter { !Self.bookkeeping.contains($0.label ?? "") }
    var others = settings.map(\.path)
    for group in children where Self.isGroup(group) {
      let prefix = "\(group.label ?? "")."
      let declared = others.filter { $0.hasPrefix(prefix) }
      others.removeAll { $0.hasPrefix(prefix) }
      let properties = Self.properties(of: group.value)
      #expect(properties.count == declared.count, "\(prefix) has \(properties) and declares \(declared)")
    }
    let single = children.filter { !Self.isGroup($0) }.compactMap(\.label)
    #expect(single.count == others.count, "\(single) and \(others)")
  }

  private func expectComplete<Root>(
    _ table: SettingTable<Root>, _ empty: Root, besides: String...,
    location: SourceLocation = #_sourceLocation
  ) {
    let properties = Self.properties(of: empty).filter { !besides.contains($0) }
    let declared = table.settings.map(\.path)
    #expect(
      Set(table.settings.map { $0.property }).count == declared.count, "two declarations have one property",
      sourceLocation: location)
    #expect(properties.count == declared.count, "\(properties) and \(declared)", sourceLocation: location)
  }

  @Test func everyPropertyOfAMemberIsDeclaredOnce() {
    expectComplete(GaugeSettings.Field.table, GaugeSettings())
    expectComplete(AccelerometerSettings.Field.table, AccelerometerSettings())
    expectComplete(LineSettings.Field.table, LineSettings())
    expectComplete(CurrentFigure.Field.table, CurrentFigure())
    expectComplete(SystemSettings.table, SystemSettings())
    expectComplete(DestinationSettings.Field.table, DestinationSettings(), besides: "isLoggingModeOnTrial")
    expectComplete(ProfileSettings.Field.table, ProfileSettings())
    expectComplete(BeaconingSettings.Field.table, BeaconingSettings())
    expectComplete(ZoneSettings.Field.table, ZoneSettings())
    expectComplete(ZoneSettings.Field.shapeTable, ZoneSettings(), besides: "dwell", "hasProfile")
    expectComplete(WifiZoneSettings.Field.table, WifiZoneSettings())
    expectComplete(NotificationSettings.Field.table, NotificationSettings(), besides: "isPlain")
  }

  /// Settings whose effect is decided in this module.
  static let decidedHere: Set<String> = ["fileFormat", "locked", "loggingMode", "maySet"]

  @Test func everyPropertyIsReadOutsideOfTheModule() throws {
    let configuration = Configuration(fallbacks: Fallbacks(deviceID: "", apiSocket: ""))
    let children = Mirror(reflecting: configuration).children
    let components: [Any] = [
      GaugeSettings(), AccelerometerSettings(), LineSettings(), CurrentFigure(), EnergySettings(),
      SystemSettings(), DestinationSettings(), ProfileSettings(), BeaconingSettings(), ZoneSettings(),
      WifiZoneSettings(), NotificationSettings(),
    ]
    var unread = Set(children.filter { !Self.isGroup($0) }.compactMap(\.label))
    for value in children.filter(Self.isGroup).map(\.value) + components {
      unread.formUnion(Self.properties(of: value))
    }
    // The connection of a gauge is read by its `source`.
    unread.subtract(Self.bookkeeping.union(Self.decidedHere).union(["chip", "bus", "powerSupply"]))
    #expect(unread.count > 150)
    let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Sources")
    let files = try #require(FileManager.default.enumerator(atPath: sources.path))
    for case let file as String in files where file.hasSuffix(".swift") && !file.hasPrefix("Domain/Settings/")
    {
      unread.subtract(Self.members(in: Array(try Data(contentsOf: sources.appendingPathComponent(file)))))
    }
    #expect(unread.isEmpty, "no other module reads \(unread.sorted())")
  }

  /// The identifiers after a full stop.
  private static func members(in text: [UInt8]) -> Set<String> {
    let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).dropFirst()
    return Set(
      parts.map { part in
        let name = part.prefix { byte in
          switch byte {
          case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
          default: false
          }
        }
        return String(decoding: name, as: UTF8.self)
      })
  }

  @Test func everyGPIOLineIsCheckedForASecondUse() throws {
    let polarity = ".active_low"
    let declared = SettingsReference.all.map(\.path).filter { $0.hasSuffix(polarity) }
      .map { String($0.dropLast(polarity.count)) }
    let checked = try configuration(file: ListingTests.lines).wiredLines.map(\.path)
    #expect(Set(checked) == Set(declared))
  }

  /// Declared with the other time, and known.
  static let replaced: Set<String> = [
    "apply_board", "accelerometer", "gauge", "power_manager", "lines.ignition", "leds.status", "rtc",
    "host.sleep",
    "host.down",
    "host.starting", "host.stopping", "host.least", "host.after_start", "host.wakes_on_motion",
    "host.while_fed", "power.under_V", "power.over_V", "title", "system", "notes",
  ]
  static let retained: Set<String> = ["receiver.cyclic", "receiver.gather"]

  @Test(arguments: ["everything", "other forms", "other words"])
  func aRunningConfigurationKeepsWhatNeedsARestart(name: String) throws {
    let running = try configuration()
    let next = try configuration(
      board: "{ title: 'b', notes: ['n'], system: { modules: ['m'] } }",
      file: ListingTests.files[name] ?? Self.otherWords)
    let kept = next.keepingWhatNeedsARestart(of: running)
    for setting in Schema.table.settings where setting.differs(running, next) {
      let isKept =
        Self.retained.contains(setting.path)
        || setting.applies == .afterRestart && !Self.replaced.contains(setting.path)
      #expect(setting.differs(kept, next) == isKept, "\(setting.path)")
      #expect(setting.differs(kept, running) != isKept, "\(setting.path)")
    }
  }

  /// Settings whose default is not none, with another value.
  static let otherWords = """
    {
      apply_board: true,
      receiver: { cyclic: "off", gather: "3s", control: "none", backup_supply: false, own_supply: true },
      host: { sleep: "suspend", least: "60s", after_start: "60s", wakes_on_motion: true, while_fed: true },
      rtc: "/dev/rtc1", storage: { directory: "/data", allow_volatile: true, limit: "1GB" },
      network: { settling: "8s", patience: "8s", longest: "60s" }, api: { enabled: false, socket: "/s" },
      power: { low: 20 },
    }
    """
}
