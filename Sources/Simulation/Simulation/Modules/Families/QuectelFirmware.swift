import GNSSProtocol
import Quantities

/// A module with PQTM sentences (LC29H). Settings are lost unless saved; a new baud rate applies after the
/// answer.
struct QuectelFirmware: ModuleFirmware {
  private var settings: StoredSettings<TalkerSettings>
  private var reportsError = 0
  private let style = SentenceStyle(version: .v41, clockDecimals: 3, minuteDecimals: 6)
  private static let speeds: Set<UInt32> = [9600, 115_200, 230_400, 460_800, 921_600]

  private enum Reply: Equatable {
    /// The text after `OK`.
    case done(String = "")
    /// 1 wrong parameter, 2 failed, 3 unsupported.
    case error(Int)
    case nothing
  }

  init(_ options: ModuleOptions) {
    let factory = TalkerSettings(
      speed: ModuleModel.quectel.factorySpeed, rates: [.rmc: 1, .gga: 1, .gsv: 1, .gsa: 1, .vtg: 1, .gll: 1],
      order: [.rmc, .gga, .gsv, .gsa, .vtg, .gll, .gst, .zda, .gns])
    settings = StoredSettings(factory)
    if let speed = options.savedSpeed {
      settings.flash = factory
      settings.flash?.speed = speed
    }
  }

  mutating func start(_ survivor: Survivor, _ core: inout ModuleCore) {
    settings.load(survivor)
    if survivor < .memory { reportsError = 0 }
    settings.present.apply(to: &core)
  }

  mutating func messages(_ epoch: ModuleEpoch) -> [[UInt8]] {
    var messages = settings.present.sentences(epoch, style)
    if let fix = epoch.fix, epoch.isDue(reportsError) {
      let (north, east, down) = (fix.sigma.north, fix.sigma.east, fix.sigma.up)
      let plane = (north * north + east * east).squareRoot()
      let errors = [north, east, down, plane, (plane * plane + down * down).squareRoot()]
      let text = errors.map { ModuleText.decimal($0, 3) }.joined(separator: ",")
      messages.append(ModuleFrame.sentence("PQTMEPE,2,\(text)"))
    }
    return messages
  }

  func refusal(of frame: HostFrame) -> [UInt8]? {
    guard case .sentence(let fields) = frame, fields[0].hasPrefix("PQTM"), fields[0] != "PQTMVERNO" else {
      return nil
    }
    return ModuleFrame.sentence("\(fields[0]),ERROR,2")
  }

  mutating func handle(_ frame: HostFrame, _ core: inout ModuleCore) {
    guard case .sentence(let fields) = frame, fields[0].hasPrefix("PQTM") else { return }
    let before = settings.present.speed
    switch execute(fields, &core) {
    case .done(let remainder): core.answer("\(fields[0]),OK\(remainder)")
    case .error(let code): core.answer("\(fields[0]),ERROR,\(code)")
    case .nothing: break
    }
    if settings.present.interval != Int(core.navigation.interval.wholeMilliseconds) {
      core.set(interval: .milliseconds(settings.present.interval))
    }
    if settings.present.speed != before { core.follow(with: .speed(settings.present.speed)) }
  }

  private mutating func execute(_ fields: [String], _ core: inout ModuleCore) -> Reply {
    switch fields[0] {
    case "PQTMVERNO":
      core.answer("PQTMVERNO,\(core.faults.versionText ?? "LC29HAANR11A03S"),2023/02/14,15:31:08")
      return .nothing
    case "PQTMHOT", "PQTMWARM", "PQTMCOLD":
      let kind: ModuleStartKind = fields[0] == "PQTMHOT" ? .hot : fields[0] == "PQTMWARM" ? .warm : .cold
      core.follow(with: .restart(kind, .memory))
    case "PQTMSAVEPAR":
      settings.flash = settings.present
      settings.backup = settings.present
    case "PQTMRESTOREPAR":
      settings.flash = nil
      settings.backup = nil
    case "PQTMSRR": core.follow(with: .restart(.hot, .backup))
    case "PQTMGNSSSTOP": core.stopNavigation()
    case "PQTMGNSSSTART": if !core.navigation.isNavigating { core.startNavigation() }
    case "PQTMCFGFIXRATE": return fixRate(fields)
    case "PQTMCFGUART": return port(fields)
    case "PQTMCFGMSGRATE": return messageRate(fields)
    default: return .error(3)
    }
    return fields[0] == "PQTMSRR" ? .nothing : .done()
  }

  private mutating func fixRate(_ fields: [String]) -> Reply {
    if fields.count == 2, fields[1] == "R" { return .done(",\(settings.present.interval)") }
    guard fields.count == 3, fields[1] == "W", let interval = Int(fields[2]), (100...1000).contains(interval)
    else {
      return .error(1)
    }
    settings.present.interval = interval
    return .done()
  }

  private mutating func port(_ fields: [String]) -> Reply {
    if fields.count == 2, fields[1] == "R" { return .done(",1,\(settings.present.speed),8,0,1,0") }
    guard (3...4).contains(fields.count), fields[1] == "W", let speed = UInt32(fields[fields.count - 1]),
      Self.speeds.contains(speed)
    else { return .error(1) }
    settings.present.speed = speed
    return .done()
  }

  private mutating func messageRate(_ fields: [String]) -> Reply {
    guard fields.count >= 3 else { return .error(1) }
    let kind = SentenceKind(rawValue: fields[2])
    guard kind != nil || fields[2] == "PQTMEPE" else { return .error(1) }
    if fields[1] == "R" {
      return .done(",\(fields[2]),\(kind.map { settings.present.rates[$0] ?? 0 } ?? reportsError)")
    }
    guard fields[1] == "W", fields.count >= 4, let rate = Int(fields[3]), (0...20).contains(rate) else {
      return .error(1)
    }
    if let kind {
      settings.present.rates[kind] = rate
    } else {
      guard fields.count == 5, fields[4] == "2" else { return .error(1) }
      reportsError = rate
    }
    return .done()
  }
}
