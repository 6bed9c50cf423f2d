import Quantities
import Testing
import GNSSProtocol
@testable import Simulation

/// Promises for every module with any input.
@Suite struct ModulePropertyTests {
  /// Commands of all families, valid and invalid, complete and torn.
  private static func noise(_ random: inout SplitMix64) -> [UInt8] {
    let bodies = [
      "PMTK161,0", "PMTK225,2,3000,12000", "PMTK225,1,1000,1000", "PMTK251,115200", "PMTK220,100", "PMTK103",
      "PMTK314,-1", "PMTK104", "PMTK225,0,,,,,", "PMTK,", "PMTK741,1e308,-1e9,0,0,0,0,0,0,0", "PAIR050,100",
      "PAIR650,5", "PAIR003", "PAIR864,0,0,9600", "PAIR513", "PAIR023", "PAIR062,3,-4",
      "PAIR062,99999999999,1",
      "PQTMCFGUART,W,9600", "PQTMCFGFIXRATE,W,100", "PQTMCFGMSGRATE,W,GGA", "PQTM", "PQTMCFGUART", "PCAS01,0",
      "PCAS01,77", "PCAS02,100", "PCAS10,3", "PCAS12,3", "PCAS03", "PCAS10,-1", "PSRF100,1,57600,8,1,0",
      "PSRF117,16",
      "PSRF101,0,0,0,0,0,0,12,4", "PSRF103,09,00,05,01", "PSRF100,0,4800,8,1,0",
      "PUBX,41,1,0007,0003,921600,0",
      "PUBX,00", "PUBX,40,GLL,0,255,0,0,0,0", "PUBX", "PUBX,40", "", ",", "$",
    ]
    switch Int.random(in: 0..<6, using: &random) {
    case 0:
      return (0..<Int.random(in: 0..<300, using: &random)).map { _ in UInt8(truncatingIfNeeded: random.next())
      }
    case 1, 2: return ModuleBench.framed(bodies.randomElement(using: &random) ?? "")
    case 3:
      let frame = ModuleBench.framed(bodies.randomElement(using: &random) ?? "")
      return Array(frame.prefix(Int.random(in: 0...frame.count, using: &random)))
    default:
      let groups: [(UInt8, [UInt8])] = [
        (0x06, [0, 1, 4, 8, 9, 0x11, 0x23, 0x24, 0x3B, 0x86, 0x8A, 0x8B, 0x8C]), (0x02, [0x41]),
        (0x09, [0x14]),
        (0x13, [0, 0x20, 0x40, 0x80]), (0x01, [7, 0x35]), (0x0A, [4]),
      ]
      let group = groups.randomElement(using: &random) ?? groups[0]
      let length =
        [0, 1, 2, 3, 4, 6, 8, 12, 13, 16, 20, 24, 36, 40, 44, 76].randomElement(using: &random) ?? 0
      var payload = (0..<length).map { _ in
        Bool.random(using: &random)
          ? UInt8.random(in: 0...8, using: &random) : UInt8(truncatingIfNeeded: random.next())
      }
      if length == 20 { payload.replaceSubrange(8..<12, with: [0x00, 0xC2, 0x01, 0x00]) }
      let id = group.1.randomElement(using: &random) ?? 0
      return Bool.random(using: &random)
        ? ModuleBench.ubx(group.0, id, payload)
        : ModuleFrame.casic(group.0, id, payload + [UInt8](repeating: 0, count: (4 - length % 4) % 4))
    }
  }

  @Test(arguments: ModuleModel.allCases, 0..<12 as Range<UInt64>)
  func noBytesTrapTheModuleAndTheLineIsNeverOverrun(model: ModuleModel, seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var options = ModuleOptions()
    options.seed = seed
    options.hasBackupSupply = Bool.random(using: &random)
    options.hasFlash = Bool.random(using: &random)
    options.faults.wakesTorn = Bool.random(using: &random)
    options.faults.lies = Int.random(in: 0..<8, using: &random) == 0
    options.faults.lostAnswers = 0.1
    var module = ReceiverModule(model, options: options)
    var now = Moment.zero
    var speed = module.speed
    for _ in 0..<300 {
      let fastest = module.speed
      let before = now
      now = now + .milliseconds(Int64.random(in: 0...1500, using: &random))
      let received = module.transmit(until: now, to: speed)
      #expect(module.speed > 0)
      let line = Double(max(fastest, module.speed)) / 10
      #expect(Double(received.count) <= (now - before).inSeconds * line + 1)
      #expect(Double(received.count) <= (now - before).inSeconds * Double(speed) / 10 + 1)
      module.receive(Self.noise(&random), at: speed, now: now)
      switch Int.random(in: 0..<40, using: &random) {
      case 0: module.setSupply(false, now: now)
      case 1...3: module.setSupply(true, now: now)
      case 4...6: module.pulseWakePin(now: now)
      case 7...12: speed = module.speed
      case 13: module.setReception(Bool.random(using: &random), now: now)
      default: break
      }
    }
  }

  /// Times that jump or run backwards, and impossible baud rates.
  @Test(arguments: ModuleModel.allCases) func anyTimesAndBaudRatesAreAccepted(model: ModuleModel) {
    var random = SplitMix64(seed: 99)
    var module = ReceiverModule(model)
    for nanoseconds in [
      Int64.min, -1, 0, 5_000_000_000, 1_000_000, 90_000_000_000_000, 31_536_000_000_000_000, .max, 3,
    ] {
      let now = Moment(nanoseconds: nanoseconds)
      for speed in [0, 9600, UInt32.max] {
        module.receive(Self.noise(&random), at: speed, now: now)
        #expect(module.transmit(until: now, to: speed).count <= ModuleLine.bufferedForHost)
      }
    }
  }

  /// Polling only at the predicted times gives the same bytes as polling every millisecond.
  @Test(arguments: ModuleModel.allCases) func pollingAtTheNextMomentIsSufficient(model: ModuleModel) {
    var stepped = ReceiverModule(model)
    var hasty = ReceiverModule(model)
    let end = Moment.zero + .seconds(40)
    stepped.pulseWakePin(now: .zero)
    hasty.pulseWakePin(now: .zero)
    var received: [UInt8] = []
    var questions = 0
    while let next = stepped.nextMoment, next < end {
      received += stepped.transmit(until: next, to: stepped.speed)
      questions += 1
      guard questions < 1000 else { break }
    }
    received += stepped.transmit(until: end, to: stepped.speed)
    var all: [UInt8] = []
    for milliseconds in 0...40_000 {
      all += hasty.transmit(until: .zero + .milliseconds(milliseconds), to: hasty.speed)
    }
    #expect(received == all)
    #expect(questions < 150)
  }

  @Test(arguments: ModuleModel.allCases) func theSameSeedGivesTheSameBytes(model: ModuleModel) {
    var modules = ([1, 1, 2] as [UInt64]).map { seed in
      var options = ModuleOptions()
      options.seed = seed
      options.firstStart = .hot
      return ReceiverModule(model, options: options)
    }
    let received = modules.indices.map { index in
      modules[index].pulseWakePin(now: .zero)
      return modules[index].transmit(until: Moment.zero + .seconds(20), to: modules[index].speed)
    }
    #expect(received[0] == received[1] && received[0] != received[2])
  }

  /// If the line cannot carry a set of sentences, whole sentences are dropped.
  @Test(arguments: [ModuleModel.ublox8, .mediaTek, .casic]) func anOverrunDropsWholeSentences(
    model: ModuleModel
  ) {
    var bench = ModuleBench(model)
    bench.listen(3)
    bench.send(ModuleBench.ubx(0x06, 0x08, [100, 0, 1, 0, 1, 0]))
    bench.send("PMTK220,100")
    bench.send("PCAS02,100")
    bench.listen(5)
    let received = bench.listen(20)
    #expect((19_000...19_300).contains(received.count))
    var decoder = ReceiverDecoder()
    received.withUnsafeBytes { decoder.decode($0, at: bench.now) { _ in } }
    #expect(decoder.statistics.checksumErrors == 0)
  }

  @Test(
    arguments: ModuleStartKind.allCases,
    [ModuleModel.ublox6, .ublox10, .mediaTek, .airoha, .quectel, .casic, .plain])
  func theTimeToFirstFixDependsOnTheKindOfStart(kind: ModuleStartKind, model: ModuleModel) {
    var bench = ModuleBench(model) { $0.firstStart = kind }
    let time = bench.timeToFix() ?? 99
    let expected: ClosedRange<Double> =
      switch kind {
      case .hot: 1.5...3.5
      case .warm: 28...30
      case .cold: 32...34
      }
    #expect(expected.contains(time))
  }

  static let withNMEA = ModuleModel.allCases.filter { $0 != .sirf }

  /// No epoch before the fix may look like a fix.
  @Test(arguments: withNMEA) func beforeTheFixNothingIsAFix(model: ModuleModel) {
    var bench = ModuleBench(model) { $0.firstStart = .cold }
    var decoder = ReceiverDecoder()
    var kinds: [FixKind] = []
    bench.listen(30).withUnsafeBytes {
      decoder.decode($0, at: bench.now) { if let fix = $0.fix { kinds.append(fix.kind) } }
    }
    #expect(kinds.allSatisfy { $0 == .none })
    #expect(decoder.statistics.checksumErrors == 0)
  }
}
