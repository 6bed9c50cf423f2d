import Quantities

/// u-blox, generations 6 to 10: NMEA and UBX on UART1.
struct UbloxFirmware: ModuleFirmware {
  let generation: UbloxGeneration
  let hasFlash: Bool
  let keepsMemoryAsleep: Bool
  /// The configuration layers, by key.
  var present: [UInt32: UInt64]
  var backup: [UInt32: UInt64] = [:]
  var flash: [UInt32: UInt64] = [:]
  let factory: [UInt32: UInt64]
  /// Set by CFG-PM2, enabled by CFG-RXM: 1 on/off, 2 cyclic.
  var powerSaveMode: UInt64 = 1
  /// The data that UPD-SOS has saved to flash.
  var shutdownMemory: NavigationMemory?
  var lastEpoch: ModuleEpoch?
  var store: UbloxEpochStore
  private let protocolVersion: String?
  private var damage = (second: Int64(0), count: 0)
  /// End of the time for which the UART receiver is disabled after too many framing errors.
  private var inputDisabledUntil = Moment.zero

  /// The baud rates of UART1 in bit/s.
  static let speeds: Set<UInt64> = [4800, 9600, 19200, 38400, 57600, 115_200, 230_400, 460_800, 921_600]

  init(_ generation: UbloxGeneration, _ options: ModuleOptions) {
    self.generation = generation
    hasFlash = options.hasFlash || generation.hasFactoryFlash
    keepsMemoryAsleep = options.keepsMemoryAsleep ?? generation.keepsMemoryAsleep
    store = UbloxEpochStore(isThere: options.keepsEpochs ?? (generation == .ten))
    protocolVersion = options.protocolVersion
    var items = UbloxKey.factory(generation)
    if !store.isThere { for key in items.keys where key >> 16 & 0xFFF == 0x026 { items[key] = nil } }
    factory = items
    present = factory
    if let speed = options.savedSpeed { flash[UbloxKey.baudRate] = UInt64(speed) }
  }

  var binary: HostFrameReader.Binary { .ubx }

  func item(_ key: UInt32) -> UInt64 { present[key] ?? 0 }

  mutating func start(_ survivor: Survivor, _ core: inout ModuleCore) {
    if survivor < .backup { backup = [:] }
    if survivor < .flash {
      flash = [:]
      shutdownMemory = nil
    }
    if survivor < .memory { loadSaved() }
    store.clear()
    apply(&core)
    core.set(interval: interval)
    core.set(cycle)
    if item(UbloxKey.outNMEA) == 1 {
      core.answer("\(talker)TXT,01,01,02,u-blox AG - www.u-blox.com")
      core.answer("\(talker)TXT,01,01,02,\(generation.version.software)")
    }
    reportShutdown(&core)
  }

  mutating func loadSaved() {
    present = factory.merging(flash) { $1 }.merging(backup) { $1 }
  }

  /// Number of epochs that it stores; 0 if batching is off.
  private var batchSize: Int {
    item(UbloxKey.batchEnable) == 1 ? Int(item(UbloxKey.batchEntries)) : 0
  }

  /// Applies the items to line and epochs.
  mutating func apply(_ core: inout ModuleCore) {
    // Disabling discards the stored epochs.
    if batchSize == 0 { store.clear() }
    let speed = UInt32(truncatingIfNeeded: item(UbloxKey.baudRate))
    core.set(speed: speed)
    if core.navigation.interval != interval { core.set(interval: interval) }
    core.set(cycle)
  }

  private var interval: Duration {
    .milliseconds(
      Int64(item(UbloxKey.measurementRate)) * Int64(max(1, min(item(UbloxKey.navigationRate), 127))))
  }

  /// The cycle of on/off power save mode; nil for others. Cyclic tracking looks like continuous operation.
  private var cycle: ModuleCore.Cycle? {
    let period = item(UbloxKey.updatePeriod)
    guard item(UbloxKey.operateMode) == 1, period >= 10 else { return nil }
    let run = min(item(UbloxKey.onTime), period - 1)
    return .init(
      run: .seconds(Int64(run)), sleep: .seconds(Int64(clamping: period - run)), countsFromFix: true,
      manner: .init())
  }

  var talker: String { generation.style.talker }

  mutating func messages(_ epoch: ModuleEpoch) -> [[UInt8]] {
    lastEpoch = epoch
    if epoch.fix != nil, batchSize > 0 {
      store.keep(UbloxMessage.pvt.frame(epoch, .ten), entries: batchSize)
    }
    var messages: [[UInt8]] = []
    if item(UbloxKey.outNMEA) == 1 {
      for row in UbloxKey.sentences where epoch.isDue(Int(item(row.key))) {
        messages += generation.style.bodies(row.kind, epoch).map(ModuleFrame.sentence)
      }
    }
    guard item(UbloxKey.outUBX) == 1 else { return messages }
    for row in UbloxKey.messages where row.message.exists(in: generation) && epoch.isDue(Int(item(row.key))) {
      messages.append(row.message.frame(epoch, generation))
    }
    return messages
  }

  mutating func handle(_ frame: HostFrame, _ core: inout ModuleCore) {
    guard core.clock >= inputDisabledUntil else { return }
    switch frame {
    case .sentence(let fields):
      if item(UbloxKey.inNMEA) == 1 { handle(fields, &core) }
    case .ubx(let group, let id, let payload):
      if item(UbloxKey.inUBX) == 1 { handle(group, id, payload, &core) }
    case .casic: break
    }
    apply(&core)
  }

  private mutating func handle(_ group: UInt8, _ id: UInt8, _ payload: [UInt8], _ core: inout ModuleCore) {
    switch (group, id) {
    case (0x0A, 0x04): if payload.isEmpty { send(0x0A, 0x04, version(core), &core) }
    case (0x01, _):
      if payload.isEmpty, let message = UbloxMessage(rawValue: id), message.exists(in: generation),
        let lastEpoch
      {
        let frame = message.frame(lastEpoch, generation)
        core.answer(message == .status ? doubtful(frame, core) : frame)
      }
    case (0x0A, 0x09):
      if payload.isEmpty, generation <= .nine { send(0x0A, 0x09, hardware(core), &core) }
    case (0x0A, 0x38):
      if payload.isEmpty, generation >= .nine { send(0x0A, 0x38, radio(core), &core) }
    case (0x0B, 0x01): aidOfOld(payload, &core)
    case (0x02, 0x41): requestPower(payload, &core)
    case (0x06, _): configure(id, payload, &core)
    case (0x09, 0x14): saveForShutdown(payload, &core)
    case (0x13, _): aid(id, payload, &core)
    case (0x0A, 0x32):
      if payload.isEmpty, store.isThere { send(0x0A, 0x32, store.report(), &core) }
    case (0x21, 0x10): retrieve(payload, &core)
    default: break
    }
  }

  /// Handles LOG-RETRIEVEBATCH: the fill level first if requested, then all stored epochs.
  private mutating func retrieve(_ payload: [UInt8], _ core: inout ModuleCore) {
    guard store.isThere, batchSize > 0, payload.count == 4 else { return send(0x05, 0, [0x21, 0x10], &core) }
    if payload[1] & 1 != 0 { send(0x0A, 0x32, store.report(), &core) }
    let hasExtra = item(UbloxKey.batchExtraPVT) == 1
    core.follow(with: store.takeAll(hasExtra: hasExtra).map { ModuleFrame.ubx(0x21, 0x11, $0) })
  }

  func send(_ group: UInt8, _ id: UInt8, _ payload: [UInt8], _ core: inout ModuleCore) {
    if item(UbloxKey.outUBX) == 1 { core.answer(ModuleFrame.ubx(group, id, payload)) }
  }

  /// Adds spoofDetState to bits 3 and 4 of flags2 in NAV-STATUS, from generation 8 on.
  private func doubtful(_ status: [UInt8], _ core: ModuleCore) -> [UInt8] {
    guard generation >= .eight, status.count == 24 else { return status }
    var payload = Array(status[6..<22])
    payload[7] |= core.faults.spoofingState << 3
    return ModuleFrame.ubx(0x01, 0x03, payload)
  }

  /// The MON-HW message: antenna at 20, its power at 21, jamming in bits 2 and 3 of 22.
  private func hardware(_ core: ModuleCore) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: generation == .six ? 68 : 60)
    bytes[20] = core.faults.antennaStatus
    bytes[21] = 1
    bytes[22] = 1 | core.faults.jammingState << 2
    return bytes
  }

  /// The MON-RF message with one block.
  private func radio(_ core: ModuleCore) -> [UInt8] {
    [0, 1, 0, 0, 0, core.faults.jammingState, core.faults.antennaStatus, 1]
      + [UInt8](repeating: 0, count: 20)
  }

  private func version(_ core: ModuleCore) -> [UInt8] {
    let version = generation.version
    let texts = [(core.faults.versionText ?? version.software, 30), (version.hardware, 10)]
    var extensions = core.faults.versionText == nil ? version.extensions : []
    if let protocolVersion {
      extensions = extensions.filter { !$0.hasPrefix("PROTVER") } + ["PROTVER=\(protocolVersion)"]
    }
    let all = texts + extensions.map { ($0, 30) }
    return all.flatMap { text, width in
      Array(text.utf8.prefix(width - 1))
        + [UInt8](repeating: 0, count: width - min(text.utf8.count, width - 1))
    }
  }

  func refusal(of frame: HostFrame) -> [UInt8]? {
    switch frame {
    case .ubx(0x06, let id, _): id == 0x04 ? [] : ModuleFrame.ubx(0x05, 0x00, [0x06, id])
    case .ubx(0x0A, _, _), .ubx(0x01, _, _): nil
    case .ubx, .casic: []
    case .sentence(let fields):
      fields.dropFirst().first == "40" || fields.dropFirst().first == "41" ? [] : nil
    }
  }

  mutating func handleDamage(_ count: Int, _ core: inout ModuleCore) {
    let second = core.clock.nanoseconds / 1_000_000_000
    if damage.second != second { damage = (second, 0) }
    let before = damage.count
    damage.count += count
    guard before <= 100, damage.count > 100 else { return }
    inputDisabledUntil = Moment(nanoseconds: (second + 1) * 1_000_000_000)
    if item(UbloxKey.outNMEA) == 1 {
      core.answer("\(talker)TXT,01,01,01,More than 100 frame errors, UART RX was disabled")
    }
  }
}
