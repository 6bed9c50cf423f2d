import Quantities

/// The messages and commands of one receiver family.
protocol ModuleFirmware: Sendable {
  /// The binary protocol that it accepts besides sentences.
  var binary: HostFrameReader.Binary { get }
  /// Time from supply to the banner, and from the wake-up edge to the banner. Input during this time is lost.
  var startTime: Duration { get }
  var wakeTime: Duration { get }
  /// True if the supply alone does not start the module.
  var waitsForPin: Bool { get }
  /// Loads the settings that survived, sets baud rate and interval of `core` and sends the banner.
  mutating func start(_ survivor: Survivor, _ core: inout ModuleCore)
  mutating func handle(_ frame: HostFrame, _ core: inout ModuleCore)
  /// The response that rejects `frame`: nil for a harmless query, empty if the family has no such response.
  func refusal(of frame: HostFrame) -> [UInt8]?
  /// The messages of one epoch, in order.
  mutating func messages(_ epoch: ModuleEpoch) -> [[UInt8]]
  /// Handles `count` damaged bytes.
  mutating func handleDamage(_ count: Int, _ core: inout ModuleCore)
}

extension ModuleFirmware {
  var binary: HostFrameReader.Binary { .none }
  var startTime: Duration { .milliseconds(300) }
  var wakeTime: Duration { .milliseconds(200) }
  var waitsForPin: Bool { false }
  func refusal(of frame: HostFrame) -> [UInt8]? { [] }
  mutating func handle(_ frame: HostFrame, _ core: inout ModuleCore) {}
  mutating func handleDamage(_ count: Int, _ core: inout ModuleCore) {}
}

/// The memory whose settings survived, from none to all.
enum Survivor: UInt8, Comparable, Sendable {
  case nothing, flash, backup, memory

  static func < (a: Survivor, b: Survivor) -> Bool { a.rawValue < b.rawValue }
}

/// Settings and their saved copies.
struct StoredSettings<Settings: Sendable>: Sendable {
  var factory: Settings
  var present: Settings
  var backup: Settings?
  var flash: Settings?

  init(_ factory: Settings) {
    self.factory = factory
    present = factory
  }

  /// Loads the settings that survived in `survivor`, and discards those in more volatile memory.
  mutating func load(_ survivor: Survivor) {
    if survivor < .backup { backup = nil }
    if survivor < .flash { flash = nil }
    if survivor < .memory { present = backup ?? flash ?? factory }
  }
}
