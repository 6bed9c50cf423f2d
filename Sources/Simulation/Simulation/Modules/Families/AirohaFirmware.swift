import Quantities

/// AG3335 with PAIR sentences. Settings are lost with RAM unless saved to flash; a new baud rate applies
/// after a restart.
struct AirohaFirmware: ModuleFirmware {
  private var settings: StoredSettings<TalkerSettings>
  /// The baud rate of UART0 after the next start.
  private var nextSpeed: UInt32
  private var savedSpeed: UInt32
  private let style = SentenceStyle(version: .v41, clockDecimals: 3, minuteDecimals: 6)
  private static let speeds: Set<Int> = [9600, 38400, 57600, 115_200, 230_400, 460_800, 921_600]

  /// The results of PAIR001.
  private enum Result: Int { case done, inProgress, failed, unsupported, wrong, busy }

  init(_ options: ModuleOptions) {
    settings = StoredSettings(
      TalkerSettings(
        speed: ModuleModel.airoha.factorySpeed,
        rates: [.gga: 1, .gll: 1, .gsa: 1, .gsv: 1, .rmc: 1, .vtg: 1],
        order: [.gga, .gll, .gsa, .gsv, .rmc, .vtg, .zda, .gst]))
    nextSpeed = options.savedSpeed ?? settings.factory.speed
    savedSpeed = nextSpeed
  }

  var startTime: Duration { .milliseconds(400) }

  mutating func start(_ survivor: Survivor, _ core: inout ModuleCore) {
    settings.load(survivor)
    if survivor < .flash { savedSpeed = settings.factory.speed }
    if survivor < .memory { nextSpeed = savedSpeed }
    settings.present.speed = nextSpeed
    settings.present.apply(to: &core)
  }

  mutating func messages(_ epoch: ModuleEpoch) -> [[UInt8]] { settings.present.sentences(epoch, style) }

  private static func number(_ fields: [String]) -> Int? {
    guard let address = fields.first, address.count == 7, address.hasPrefix("PAIR") else { return nil }
    return Int(address.dropFirst(4))
  }

  private static func acknowledgement(_ number: Int, _ result: Result) -> [UInt8] {
    ModuleFrame.sentence("PAIR001,\(ModuleText.padded(number, 3)),\(result.rawValue)")
  }

  func refusal(of frame: HostFrame) -> [UInt8]? {
    guard case .sentence(let fields) = frame, let number = Self.number(fields), number != 21 else {
      return nil
    }
    return Self.acknowledgement(number, .failed)
  }

  mutating func handle(_ frame: HostFrame, _ core: inout ModuleCore) {
    guard case .sentence(let fields) = frame else { return }
    let version = core.faults.versionText
    if fields == ["PQTMVERNO"] {
      core.answer("PQTMVERNO,\(version ?? "LC76GABNR12A03S"),2023/05/18,17:21:16")
    }
    guard let number = Self.number(fields) else { return }
    let result =
      number == 590 || number == 600
      ? aid(number, fields, &core) : execute(number, fields.dropFirst().map { Int($0) ?? -1 }, &core)
    core.answer(Self.acknowledgement(number, result))
    if number == 21 {
      core.answer("PAIR021,\(version ?? "AG3335M_V2.5.0.AG3335_20230518"),S,N,3ea5bc8,2211231513")
    }
    settings.present.apply(to: &core)
  }

  private mutating func execute(_ number: Int, _ values: [Int], _ core: inout ModuleCore) -> Result {
    switch number {
    case 2: if !core.navigation.isNavigating { core.startNavigation() }
    case 3: core.stopNavigation()
    case 4...7: restart(number, &core)
    case 21, 66, 80, 382, 400, 410, 490, 752: break
    case 23: core.follow(with: .restart(.hot, .backup))
    case 50:
      guard let interval = values.first, (100...1000).contains(interval) else { return .wrong }
      settings.present.interval = interval
    case 62: return setSentence(values)
    case 513:
      settings.flash = settings.present
      settings.backup = settings.present
      savedSpeed = nextSpeed
    case 650:
      guard let seconds = values.first, seconds >= 0, seconds <= 31_536_000 else { return .wrong }
      core.follow(
        with: .sleep(
          .init(duration: seconds == 0 ? nil : .seconds(seconds), wakesByReceive: false, survivor: .backup)))
    case 864:
      guard values.count == 3, values[0] == 0, values[1] == 0, Self.speeds.contains(values[2]) else {
        return .wrong
      }
      nextSpeed = UInt32(clamping: values[2])
    default: return .unsupported
    }
    return .done
  }

  /// Handles aiding: 590 sets UTC, 600 a position with the axes of its error.
  private func aid(_ number: Int, _ fields: [String], _ core: inout ModuleCore) -> Result {
    guard !core.faults.refusesAid else { return .unsupported }
    if number == 590 {
      guard fields.count == 7, fields.dropFirst().allSatisfy({ Int($0) != nil }) else { return .wrong }
      core.aid(time: true)
    } else {
      guard fields.count == 8, let latitude = Double(fields[1]), let longitude = Double(fields[2]),
        latitude.magnitude <= 90, longitude.magnitude <= 180
      else { return .wrong }
      core.aid(position: .init(latitude: latitude, longitude: longitude))
    }
    return .done
  }

  private mutating func setSentence(_ values: [Int]) -> Result {
    let kinds: [SentenceKind?] = [.gga, .gll, .gsa, .gsv, .rmc, .vtg, .zda, nil, .gst]
    if values == [-1] || values.first == -1 {
      settings.present.rates = settings.factory.rates
      return .done
    }
    guard values.count == 2, kinds.indices.contains(values[0]), (0...20).contains(values[1]) else {
      return .wrong
    }
    if let kind = kinds[values[0]] { settings.present.rates[kind] = values[1] }
    return .done
  }

  private mutating func restart(_ number: Int, _ core: inout ModuleCore) {
    if number == 7 {
      core.follow(with: .restart(.cold, .nothing))
    } else {
      core.forget(for: [.hot, .warm, .cold][number - 4])
      core.stopNavigation()
      core.startNavigation()
    }
  }
}
