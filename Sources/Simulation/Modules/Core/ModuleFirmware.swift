import Quantities

/// What one family of modules says and understands.
protocol ModuleFirmware: Sendable {
  /// Which binary frames it understands beside sentences.
  var binary: HostFrameReader.Binary { get }
  /// From supply to the banner, and from the edge that wakes to the banner. Input is lost for as long.
  var startTime: Duration { get }
  var wakeTime: Duration { get }
  /// Whether the supply alone does not start it.
  var waitsForPin: Bool { get }
  /// Loads what has survived; sets speed and interval of `core` and says the banner.
  mutating func start(_ survivor: Survivor, _ core: inout ModuleCore)
  mutating func hear(_ frame: HostFrame, _ core: inout ModuleCore)
  /// How it refuses `frame`: nothing for a question that is harmless, empty when it has no words for it.
  func refusal(of frame: HostFrame) -> [UInt8]?
  /// The messages of one epoch, in their order.
  mutating func messages(_ epoch: ModuleEpoch) -> [[UInt8]]
  /// So many damaged bytes have arrived.
  mutating func hearDamage(_ count: Int, _ core: inout ModuleCore)
}

extension ModuleFirmware {
  var binary: HostFrameReader.Binary { .none }
  var startTime: Duration { .milliseconds(300) }
  var wakeTime: Duration { .milliseconds(200) }
  var waitsForPin: Bool { false }
  func refusal(of frame: HostFrame) -> [UInt8]? { [] }
  mutating func hear(_ frame: HostFrame, _ core: inout ModuleCore) {}
  mutating func hearDamage(_ count: Int, _ core: inout ModuleCore) {}
}

/// Where settings have survived, from nowhere to everywhere.
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

  /// Loads what `survivor` has kept, and forgets what lay nearer to the processor.
  mutating func load(_ survivor: Survivor) {
    if survivor < .backup { backup = nil }
    if survivor < .flash { flash = nil }
    if survivor < .memory { present = backup ?? flash ?? factory }
  }
}
