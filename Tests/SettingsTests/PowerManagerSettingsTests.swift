import Quantities
import Settings
import Testing

@Suite struct PowerManagerSettingsTests {
  static let chips = ChipNames(
    powerManagers: ["witty-pi-4", "pijuice", "pisugar-3", "latch"],
    addresses: ["witty-pi-4": [0x08], "pijuice": [0x14], "pisugar-3": [0x57]])

  static func read(_ board: String) throws(SettingsErrors) -> Configuration {
    try Configuration.read(
      board: SourceText(name: "board.json5", bytes: Array("{ title: 'x', \(board) }".utf8)), file: nil,
      overrides: [], fallbacks: Fallbacks(deviceID: "", apiSocket: ""), chips: chips)
  }

  @Test func aBoardHasDefaultsForItsTimers() throws {
    let manager = try #require(
      try Self.read("power_manager: { chip: 'witty-pi-4', bus: '/b' }, host: { sleep: 'halt' }").powerManager)
    #expect(manager.part == .chip("witty-pi-4", bus: "/b") && manager.address == nil)
    #expect(manager.cutAfter == .seconds(30) && manager.deadMan == .seconds(6 * 3600))
  }

  @Test func aLatchNeedsTheClockThatSwitchesItOn() throws {
    let board = "rtc: '/dev/rtc0', power_manager: { chip: 'latch', dead_man: 'off' }, host: { sleep: 'halt' }"
    #expect(try Self.read(board).powerManager?.part == .latch)
  }

  static let bad: [(board: String, texts: [String])] = [
    ("power_manager: { bus: '/b' }", ["power_manager.chip", "the name of the board"]),
    ("power_manager: { chip: 'witty-pi-4' }", ["power_manager.bus", "I²C bus"]),
    (
      "power_manager: { chip: 'witty-pi-5', bus: '/b' }",
      ["power_manager.chip", "witty-pi-4, pijuice, pisugar-3, latch"]
    ),
    ("power_manager: { chip: 'witty-pi-4', bus: '/b', address: 0x14 }", ["power_manager.address", "0x08"]),
    (
      "power_manager: { chip: 'latch', bus: '/b', dead_man: 'off' }, rtc: '/dev/rtc0'",
      ["power_manager.bus", "power_manager.chip"]
    ),
    ("power_manager: { chip: 'latch' }, rtc: '/dev/rtc0'", ["power_manager.dead_man", "off"]),
    ("power_manager: { chip: 'latch', dead_man: 'off' }", ["rtc", "switches the latch on"]),
    ("power_manager: { chip: 'pijuice', bus: '/b', cut_after: '5s' }", ["power_manager.cut_after"]),
    ("power_manager: { chip: 'pisugar-3', bus: '/b' }", ["power_manager.dead_man", "off"]),
    ("power_manager: { chip: 'pijuice', bus: '/b', dead_man: '10m' }", ["power_manager.dead_man"]),
    (
      "power_manager: { chip: 'pijuice', bus: '/b' }, host: { sleep: 'halt', stopping: '60s' }",
      ["power_manager.cut_after", "70 s"]
    ),
    (
      "power_manager: { chip: 'witty-pi-4', bus: '/b', low_V: 3.7, recover_V: 3.7 }",
      ["power_manager.recover_V", "more than 3.7 V"]
    ),
    (
      "power_manager: { chip: 'pijuice', bus: '/b' }, host: { sleep: 'suspend' }",
      ["host.sleep", "power_manager cuts the supply"]
    ),
  ]

  @Test(arguments: bad.indices) func aContradictionIsExplainedWithItsKey(_ index: Int) {
    let row = Self.bad[index]
    var found: [String] = []
    do throws(SettingsErrors) { _ = try Self.read(row.board) } catch {
      found = error.errors.map(\.description)
    }
    #expect(!found.isEmpty, "\(row.board)")
    #expect(found.contains { text in row.texts.allSatisfy { text.contains($0) } }, "\(found)")
  }

  @Test func aPowerManagerArrangesTheWakeUp() throws {
    _ = try Self.read("power_manager: { chip: 'pijuice', bus: '/b' }, host: { sleep: 'halt' }")
    #expect(throws: SettingsErrors.self) { try Self.read("host: { sleep: 'halt' }") }
  }
}
