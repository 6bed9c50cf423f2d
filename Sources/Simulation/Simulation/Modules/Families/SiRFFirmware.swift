import Quantities

/// SiRFstar IV with PSRF sentences. Silent after power-on until ON_OFF is pulsed; settings are kept as long
/// as either supply is on.
struct SiRFFirmware: ModuleFirmware {
  private var settings: StoredSettings<TalkerSettings>
  /// True after PSRF100,0: the module uses SiRF binary, of which only a heartbeat is simulated.
  private var isBinary = false
  private let style = SentenceStyle(
    talker: "GP", clockDecimals: 3, minuteDecimals: 4, repeatsOldPosition: true)
  private static let speeds: Set<UInt32> = [4800, 9600, 19200, 38400, 57600, 115_200]
  private static let version = "GSD4e_4.1.2-P1"

  init(_ options: ModuleOptions) {
    settings = StoredSettings(
      TalkerSettings(
        speed: ModuleModel.sirf.factorySpeed, rates: [.gga: 1, .gsa: 1, .gsv: 5, .rmc: 1],
        order: [.gga, .gll, .gsa, .gsv, .rmc, .vtg, .zda]))
    if let speed = options.savedSpeed {
      settings.flash = settings.factory
      settings.flash?.speed = speed
    }
  }

  var waitsForPin: Bool { true }

  mutating func start(_ survivor: Survivor, _ core: inout ModuleCore) {
    settings.load(survivor)
    if survivor < .backup { isBinary = false }
    settings.present.apply(to: &core)
    guard !isBinary else { return }
    core.answer("PSRFTXT,Version: \(core.faults.versionText ?? Self.version)")
    core.answer("PSRF150,1")
  }

  mutating func messages(_ epoch: ModuleEpoch) -> [[UInt8]] {
    isBinary ? [Self.heartbeat] : settings.present.sentences(epoch, style)
  }

  /// The heartbeat frame: `A0 A2`, length, payload, sum of 15 bits, `B0 B3`.
  private static let heartbeat: [UInt8] = {
    let payload: [UInt8] = [0xFF] + Array("alive".utf8)
    let sum = payload.reduce(0) { $0 + Int($1) } & 0x7FFF
    return [0xA0, 0xA2, 0, UInt8(payload.count)] + payload + [UInt8(sum >> 8), UInt8(sum & 0xFF), 0xB0, 0xB3]
  }()

  mutating func handle(_ frame: HostFrame, _ core: inout ModuleCore) {
    // Sentences are ignored in binary mode; only the pin and the supply end it.
    guard case .sentence(let fields) = frame, !isBinary else { return }
    let values = fields.dropFirst().map { Int($0) ?? -1 }
    switch (fields[0], values.count) {
    case ("PSRF100", 5): setPort(values)
    case ("PSRF101", 8): restart(values[7], &core)
    case ("PSRF103", 4): setSentence(values, &core)
    case ("PSRF105", 1): core.answer("PSRFTXT,Version: \(core.faults.versionText ?? Self.version)")
    case ("PSRF117", 1):
      if values == [16] { core.follow(with: .sleep(.init(wakesByReceive: false, survivor: .backup))) }
    default: break
    }
    settings.backup = settings.present
    settings.present.apply(to: &core)
  }

  private mutating func setPort(_ values: [Int]) {
    guard (0...1).contains(values[0]), let speed = UInt32(exactly: values[1]), Self.speeds.contains(speed)
    else { return }
    settings.present.speed = speed
    isBinary = values[0] == 0
  }

  private func restart(_ kind: Int, _ core: inout ModuleCore) {
    guard (1...4).contains(kind) else { return }
    core.follow(with: .restart(kind == 1 ? .hot : kind == 4 ? .cold : .warm, .backup))
  }

  /// Handles PSRF103. Mode 0 sets the rate; mode 1 polls one sentence, which is not simulated.
  private mutating func setSentence(_ values: [Int], _ core: inout ModuleCore) {
    let kinds: [Int: SentenceKind] = [0: .gga, 1: .gll, 2: .gsa, 3: .gsv, 4: .rmc, 5: .vtg, 8: .zda]
    guard values[1] == 0, let kind = kinds[values[0]], (0...255).contains(values[2]) else { return }
    settings.present.rates[kind] = values[2]
  }
}
