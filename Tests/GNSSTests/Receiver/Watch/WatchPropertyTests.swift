import GNSSProtocol
import GNSSReceiver
import Quantities
import Scheduling
import Testing

@Suite struct WatchPropertyTests {
  /// Events and recovery steps per hour, regardless of the receiver.
  private static let mostActionsAnHour = 60

  private static func unusualFix(_ random: inout SplitMix64, _ second: Int64) -> Fix {
    var fix = Bool.random(using: &random) ? movingFix(second) : noFix(second)
    let unusual: [Double?] = [nil, .nan, .infinity, -.infinity, -1, 0, 1e308, 5]
    func any() -> Double? { unusual.randomElement(using: &random) ?? nil }
    if Bool.random(using: &random) { fix.speed = any() }
    if Bool.random(using: &random) { fix.latitude = any() }
    fix.horizontalAccuracy = any()
    switch Int.random(in: 0..<8, using: &random) {
    case 0: fix.timestamp = Timestamp(milliseconds: Int64.random(in: .min ... .max, using: &random))
    case 1: fix.timestamp = nil
    case 2: fix.millisecondOfDay = .max
    default: break
    }
    return fix
  }

  private static func input(_ random: inout SplitMix64, _ second: Int64) -> WatchInput {
    switch Int.random(in: 0..<40, using: &random) {
    case 0: .opened
    case 1: .asleep
    case 2...4: .awake
    case 5...24:
      .received(
        bytes: [0, -1, 1, 300, 5000, .max, .min].randomElement(using: &random) ?? 0,
        frames: [0, 0, 1, 2, .max, .min].randomElement(using: &random) ?? 0)
    case 25...34: .epoch(unusualFix(&random, second))
    case 35: .answer(.antenna([.ok, .open, .short, .unknown].randomElement(using: &random) ?? .ok))
    case 36: .answer(.jamming([.ok, .warning, .critical, .unknown].randomElement(using: &random) ?? .ok))
    case 37: .answer(.started)
    case 38: .answer(.spoofing([.ok, .indicated, .multiple, .unknown].randomElement(using: &random) ?? .ok))
    default: .answer(.errorText("odd"))
    }
  }

  @Test(arguments: 0..<60 as Range<UInt64>) func noReceiverCausesALoop(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var bench = WatchBench(mayWrite: Bool.random(using: &random), canCyclePower: Bool.random(using: &random))
    let longestPause = [2, 40, 400][Int(seed % 3)] as Int64
    for _ in 0..<6000 {
      bench.handle(Self.input(&random, bench.second))
      bench.pass(seconds: Int64.random(in: 0...longestPause, using: &random))
    }
    let times = bench.actions.map(\.at)
    for (index, time) in times.enumerated() where index >= Self.mostActionsAnHour {
      #expect(time - times[index - Self.mostActionsAnHour] >= 3600, "around \(time) s")
      if time - times[index - Self.mostActionsAnHour] < 3600 { break }
    }
    expectEachEventHasItsEnd(bench.actions.map(\.action))
  }

  @Test(arguments: 0..<20 as Range<UInt64>) func irregularClocksNeverTrap(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let start = Moment(nanoseconds: Int64.random(in: .min ... .max, using: &random))
    var watch = ReceiverWatch(mayWrite: true, canCyclePower: true, now: start)
    var age = EphemerisAge(hasBackupSupply: true)
    var settling = FixSettling(accuracy: .nan, limit: .seconds(Int64.max))
    var budget = SearchBudget(afterLongStorage: true)
    for _ in 0..<2000 {
      let now = Moment(nanoseconds: Int64.random(in: .min ... .max, using: &random))
      _ = watch.handle(Self.input(&random, Int64.random(in: 0..<1_000_000, using: &random)), now: now)
      _ = watch.handleTimeout(now: now)
      _ = watch.nextTimeout
      age.epoch(hasFix: true, now: now)
      _ = age.renewal(interval: .seconds(Int64.random(in: .min ... .max, using: &random)), now: now)
      age.firstFix(after: .seconds(Int64.max), usually: .seconds(Int64.min), now: now)
      _ = settling.handle(Self.unusualFix(&random, 5), now: now)
      budget.began(now: now)
      budget.received(strongest: [.nan, .infinity, 40].randomElement(using: &random) ?? 0, now: now)
      _ = budget.handleTimeout(now: now)
    }
  }

  private func expectEachEventHasItsEnd(_ actions: [WatchAction]) {
    var present: Set<ReceiverFault> = []
    for action in actions {
      switch action {
      case .event(.began(let fault, _)): #expect(present.insert(fault).inserted)
      case .event(.ended(let fault, let lasted)):
        #expect(present.remove(fault) != nil && lasted >= .zero)
      case .remedy(_, let fault), .backOff(let fault, _, _): #expect(present.contains(fault))
      }
    }
  }
}
