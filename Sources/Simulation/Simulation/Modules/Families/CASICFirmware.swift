import Quantities

/// AT6558 with PCAS sentences, which it never acknowledges, and some of the CASIC binary messages, which it
/// does.
struct CASICFirmware: ModuleFirmware {
  private var settings: StoredSettings<TalkerSettings>
  /// Interval of NAV-PV in epochs.
  private var binaryRate = 0
  private var version = SentenceStyle.Version.v41
  private static let speeds: [UInt32] = [4800, 9600, 19200, 38400, 57600, 115_200]

  init(_ options: ModuleOptions) {
    let factory = TalkerSettings(
      speed: ModuleModel.casic.factorySpeed,
      rates: [.gga: 1, .gll: 1, .gsa: 1, .gsv: 1, .rmc: 1, .vtg: 1, .zda: 1],
      order: [.gga, .gll, .gsa, .gsv, .rmc, .vtg, .zda, .gst])
    settings = StoredSettings(factory)
    if let speed = options.savedSpeed {
      settings.flash = factory
      settings.flash?.speed = speed
    }
  }

  var binary: HostFrameReader.Binary { .casic }

  mutating func start(_ survivor: Survivor, _ core: inout ModuleCore) {
    settings.load(survivor)
    if survivor < .memory {
      binaryRate = 0
      version = .v41
    }
    settings.present.apply(to: &core)
    core.answer(Self.text("02", "IC=AT6558-5N-31-1C510800"))
    core.answer(Self.text("02", software(core)))
  }

  private static func text(_ kind: String, _ text: String) -> String { "GPTXT,01,01,\(kind),\(text)" }
  private func software(_ core: ModuleCore) -> String {
    "SW=\(core.faults.versionText ?? "URANUS5,V5.3.0.0")"
  }

  mutating func messages(_ epoch: ModuleEpoch) -> [[UInt8]] {
    let style = SentenceStyle(version: version, clockDecimals: 3, minuteDecimals: 4)
    var messages = settings.present.sentences(epoch, style)
    messages.append(ModuleFrame.sentence(Self.text("01", "ANTENNA OK")))
    if epoch.isDue(binaryRate) { messages.append(ModuleFrame.casic(0x01, 0x03, Self.navigation(epoch))) }
    return messages
  }

  mutating func handle(_ frame: HostFrame, _ core: inout ModuleCore) {
    switch frame {
    case .sentence(let fields): handle(fields, &core)
    case .casic(let group, let id, let payload):
      if group == 0x06 { core.answer(ModuleFrame.casic(0x05, set(id, payload) ? 1 : 0, [group, id, 0, 0])) }
    case .ubx: break
    }
    settings.present.apply(to: &core)
  }

  func refusal(of frame: HostFrame) -> [UInt8]? {
    switch frame {
    case .casic(let group, let id, _): ModuleFrame.casic(0x05, 0x00, [group, id, 0, 0])
    case .sentence(let fields): fields[0] == "PCAS06" ? nil : []
    case .ubx: []
    }
  }

  private mutating func handle(_ fields: [String], _ core: inout ModuleCore) {
    let value = fields.dropFirst().first.flatMap { Int($0) }
    switch (fields[0], value) {
    case ("PCAS00", nil):
      settings.flash = settings.present
      settings.backup = settings.present
    case ("PCAS01", let index?):
      if Self.speeds.indices.contains(index) { settings.present.speed = Self.speeds[index] }
    case ("PCAS02", let interval?):
      if [100, 200, 250, 500, 1000].contains(interval) { settings.present.interval = interval }
    case ("PCAS03", _): setSentences(Array(fields.dropFirst()))
    case ("PCAS05", let number?):
      version = number == 2 ? .v41 : number == 5 ? .v23 : number == 9 ? .v21 : version
    case ("PCAS06", 0): core.answer(Self.text("02", software(core)))
    case ("PCAS06", 1): core.answer(Self.text("02", "HW=ATGM336H,00010009"))
    case ("PCAS10", let kind?): restart(kind, &core)
    case ("PCAS12", let seconds?):
      guard (1...65_535).contains(seconds) else { return }
      core.follow(with: .sleep(.init(duration: .seconds(seconds))))
    default: break
    }
  }

  private mutating func setSentences(_ fields: [String]) {
    let kinds: [SentenceKind?] = [
      .gga, .gll, .gsa, .gsv, .rmc, .vtg, .zda, nil, nil, nil, nil, nil, nil, .gst,
    ]
    for (kind, field) in zip(kinds, fields) {
      if let kind, let rate = Int(field), (0...9).contains(rate) { settings.present.rates[kind] = rate }
    }
  }

  private func restart(_ kind: Int, _ core: inout ModuleCore) {
    guard (0...3).contains(kind) else { return }
    core.follow(with: .restart([.hot, .warm, .cold, .cold][kind], kind == 3 ? .nothing : .memory))
  }

  private mutating func set(_ id: UInt8, _ payload: [UInt8]) -> Bool {
    switch id {
    case 0x01:
      guard payload.count == 4 else { return false }
      guard payload[0] == 0x01, payload[1] == 0x03 else { return payload[0] == 0x4E || payload[0] == 0x01 }
      binaryRate = Int(clamping: payload.little(2, 2))
    case 0x04:
      let interval = Int(clamping: payload.little(0, 2))
      guard payload.count == 4, [100, 200, 250, 500, 1000].contains(interval) else { return false }
      settings.present.interval = interval
    default: return false
    }
    return true
  }

  /// The NAV-PV message of 80 bytes; accuracies are variances, 0 if unknown.
  private static func navigation(_ epoch: ModuleEpoch) -> [UInt8] {
    var bytes: [UInt8] = []
    let fix = epoch.fix
    func append(_ values: Double...) {
      for value in values { bytes.append(little: Float(value).bitPattern) }
    }
    bytes.append(little: UInt32(clamping: epoch.sinceStart.wholeMilliseconds))
    bytes +=
      fix == nil ? [0, 0, 0, 0, 0, 0, 0, 0] : [7, 7, 5, UInt8(clamping: fix?.satellites ?? 0), 7, 0, 4, 0]
    append((fix?.horizontalDilution ?? 0) * 1.7)
    bytes.append(little: (fix?.longitude ?? 0).bitPattern)
    bytes.append(little: (fix?.latitude ?? 0).bitPattern)
    append(
      fix.map { $0.altitude + ModuleEpoch.geoidSeparation } ?? 0, fix == nil ? 0 : ModuleEpoch.geoidSeparation
    )
    let sigma = fix?.sigma ?? (north: 0, east: 0, up: 0)
    append(sigma.north * sigma.north + sigma.east * sigma.east, sigma.up * sigma.up)
    let speed = fix?.speed ?? 0
    let velocity = fix?.velocity ?? (north: 0, east: 0)
    append(velocity.north, velocity.east, 0, speed, speed, fix?.course ?? 0)
    append(fix == nil ? 0 : 0.0144, fix?.course == nil ? 0 : 2.25)
    return bytes
  }
}
