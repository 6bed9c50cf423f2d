import Quantities

/// MT3339 with PMTK sentences. Settings are kept in backup memory and lost with its supply.
struct MediaTekFirmware: ModuleFirmware {
  private var settings: StoredSettings<TalkerSettings>
  private var periodic: ModuleCore.Cycle?
  /// True if EASY predicts orbits on the chip. It is reported on request, without effect on the time to first fix.
  private var predicts = true
  private let style = SentenceStyle(talker: "GP", clockDecimals: 3, minuteDecimals: 4)
  private static let speeds: Set<UInt32> = [4800, 9600, 14400, 19200, 38400, 57600, 115_200]

  /// The flags of PMTK001.
  private enum Flag: Int { case invalid, unsupported, failed, done }

  init(_ options: ModuleOptions) {
    settings = StoredSettings(Self.factory(ModuleModel.mediaTek.factorySpeed))
    settings.present.speed = options.savedSpeed ?? settings.present.speed
    settings.backup = settings.present
    settings.flash = settings.present
  }

  private static func factory(_ speed: UInt32) -> TalkerSettings {
    TalkerSettings(
      speed: speed, rates: [.gga: 1, .gsa: 1, .gsv: 5, .rmc: 1, .vtg: 1],
      order: [.gga, .gll, .gsa, .gsv, .rmc, .vtg, .gst, .zda])
  }

  mutating func start(_ survivor: Survivor, _ core: inout ModuleCore) {
    settings.load(survivor)
    settings.present.apply(to: &core)
    core.set(interval: .milliseconds(settings.present.interval))
    if survivor < .memory {
      if survivor < .backup { periodic = nil }
      core.answer("PMTK011,MTKGPS")
    }
    core.answer("PMTK010,001")
    core.set(periodic)
  }

  mutating func messages(_ epoch: ModuleEpoch) -> [[UInt8]] { settings.present.sentences(epoch, style) }

  func refusal(of frame: HostFrame) -> [UInt8]? {
    guard case .sentence(let fields) = frame, let number = Self.number(fields), number != 605 else {
      return nil
    }
    return Self.acknowledgement(number, .unsupported)
  }

  private static func number(_ fields: [String]) -> Int? {
    guard let address = fields.first, address.hasPrefix("PMTK") else { return nil }
    return Int(address.dropFirst(4))
  }

  private static func acknowledgement(_ number: Int, _ flag: Flag) -> [UInt8] {
    ModuleFrame.sentence("PMTK001,\(ModuleText.padded(number, 3)),\(flag.rawValue)")
  }

  mutating func handle(_ frame: HostFrame, _ core: inout ModuleCore) {
    guard case .sentence(let fields) = frame, let number = Self.number(fields) else { return }
    let values = fields.dropFirst().map { Int($0) ?? -1 }
    guard let flag = execute(number, values, fields, &core) else { return }
    core.answer(Self.acknowledgement(number, flag))
    settings.backup = settings.present
    settings.present.apply(to: &core)
  }

  /// Executes a command and returns the flag of its acknowledgement; nil if there is none.
  private mutating func execute(
    _ number: Int, _ values: [Int], _ fields: [String], _ core: inout ModuleCore
  ) -> Flag? {
    switch number {
    case 0, 255, 301, 313, 286, 397, 223: return .done
    case 101...104: restart(number, &core)
    case 161:
      guard values == [0] || values == [1] else { return .invalid }
      core.follow(with: .sleep(.init()))
      return .done
    case 220, 300:
      guard let interval = values.first, (100...10_000).contains(interval) else { return .invalid }
      settings.present.interval = interval
      return .done
    case 225: return setPeriodic(values, &core)
    case 251: changeSpeed(values.first, &core)
    case 314: return setSentences(values)
    case 386: return values.count == 1 ? .done : .invalid
    case 605:
      core.answer("PMTK705,\(core.faults.versionText ?? "AXN_2.31_3339_13101700"),5632,PA6H,1.0")
    case 740 where core.faults.refusesAid, 741 where core.faults.refusesAid: return .unsupported
    case 740:
      guard fields.count == 7 else { return .invalid }
      core.aid(time: true)
      return .done
    case 741: return aid(fields, &core)
    case 869:
      if values.first == 1, values.count == 2 {
        predicts = values[1] == 1
      } else {
        core.answer("PMTK869,2,\(predicts ? 1 : 0),\(predicts ? 3 : 0)")
        return nil
      }
      return .done
    default: return .unsupported
    }
    return nil
  }

  private mutating func restart(_ number: Int, _ core: inout ModuleCore) {
    if number == 104 {
      settings = StoredSettings(Self.factory(ModuleModel.mediaTek.factorySpeed))
      periodic = nil
    }
    core.follow(
      with: .restart([.hot, .warm, .cold][min(number - 101, 2)], number == 104 ? .nothing : .backup))
  }

  /// Changes the baud rate without an answer: all further output uses the new rate.
  private mutating func changeSpeed(_ value: Int?, _ core: inout ModuleCore) {
    guard let value, let speed = UInt32(exactly: value == 0 ? 9600 : value), Self.speeds.contains(speed)
    else { return }
    settings.present.speed = speed
    settings.backup = settings.present
    settings.present.apply(to: &core)
  }

  private mutating func setSentences(_ values: [Int]) -> Flag {
    if values == [-1] {
      settings.present.rates = settings.factory.rates
      return .done
    }
    guard values.count == 19, values.allSatisfy({ (0...5).contains($0) }) else { return .invalid }
    let fields: [(Int, SentenceKind)] = [
      (0, .gll), (1, .rmc), (2, .vtg), (3, .gga), (4, .gsa), (5, .gsv), (7, .gst), (17, .zda),
    ]
    for (index, kind) in fields { settings.present.rates[kind] = values[index] }
    return .done
  }

  private mutating func setPeriodic(_ values: [Int], _ core: inout ModuleCore) -> Flag {
    switch values.first {
    case 0: periodic = nil
    case 4:
      core.follow(with: .sleep(.init(wakesByReceive: false, survivor: .backup)))
      return .done
    case 1, 2, 8, 9:
      let kind = values[0]
      let times = kind < 8 ? Array(values.dropFirst()) : [8000, 12_000]
      guard times.count >= 2, times.prefix(2).allSatisfy({ (1000...518_400_000).contains($0) }) else {
        return .invalid
      }
      let isBackup = kind == 1 || kind == 9
      periodic = .init(
        run: .milliseconds(times[0]), sleep: .milliseconds(times[1]), countsFromFix: false,
        manner: .init(wakesByReceive: !isBackup, survivor: isBackup ? .backup : .memory))
    default: return .invalid
    }
    core.set(periodic)
    // The first cycle counts from now, not from the start of the module.
    if periodic != nil { core.restartCycle() }
    return .done
  }

  private mutating func aid(_ fields: [String], _ core: inout ModuleCore) -> Flag {
    guard fields.count == 10, let latitude = Double(fields[1]), let longitude = Double(fields[2]),
      latitude.magnitude <= 90, longitude.magnitude <= 180
    else { return .invalid }
    core.aid(time: true, position: .init(latitude: latitude, longitude: longitude))
    return .done
  }
}
