import Quantities
import Simulation
import Testing
import GNSSProtocol
@testable import GNSSReceiver

/// A receiver that stores its epochs while no program needs them.
@Suite struct DialogueBatchingTests {
  static let latencyBudget = Duration.seconds(120)

  static func running(
    _ model: ModuleModel = .ublox10, hasSpeed: Bool = true, speed: UInt32 = 115_200,
    setUp: SetUp = DialogueStation.setUp, _ change: (inout ModuleOptions) -> Void = { _ in }
  ) -> DialogueStation {
    var station = DialogueStation(model, setUp: setUp, hasSpeed: hasSpeed) {
      DialogueFamilyTests.named(model)(&$0)
      $0.savedSpeed = speed
      if model == .ublox8 { ($0.protocolVersion, $0.keepsEpochs) = ("23.01", true) }
      change(&$0)
    }
    let isRunning = station.advance(until: .running, seconds: 90)
    #expect(isRunning)
    station.advance(seconds: 30)
    _ = (station.takeNotices(), station.takeLog(), station.takeFixes())
    return station
  }

  /// Seconds between one fix and the next, by their own times.
  static func steps(_ fixes: [Fix]) -> [Double] {
    let times = fixes.compactMap(\.timestamp)
    return zip(times, times.dropFirst()).map { ($1 - $0).inSeconds }
  }

  /// Each fix once, in the order of the times.
  static func inOrder(_ fixes: [Fix]) -> [Fix] {
    var seen: Set<Int64> = []
    return fixes.filter { seen.insert($0.timestamp?.milliseconds ?? 0).inserted }
      .sorted { ($0.timestamp?.milliseconds ?? 0) < ($1.timestamp?.milliseconds ?? 0) }
  }

  @Test(arguments: [ModuleModel.ublox8, .ublox10])
  func aBatchLastsForTheRequestedTimeAndEveryEpochKeepsItsTime(_ model: ModuleModel) {
    var station = Self.running(model)
    #expect(station.dialogue.offersBatching && !station.dialogue.keepsEpochs)
    station.send(.request(.batches(every: Self.latencyBudget)))
    station.advance(seconds: 3)
    #expect(station.dialogue.keepsEpochs && !station.dialogue.isTransferringEpochs)
    #expect(!station.dialogue.listensClosely && station.dialogue.quietUntil != nil)
    let before = station.takeFixes().admitted
    station.advance(seconds: 100)
    #expect(station.takeFixes().admitted.isEmpty)
    station.advance(seconds: 500)
    let kept = station.takeFixes().admitted
    #expect(kept.count >= 480 && kept.allSatisfy(\.isStored))
    station.send(.request(.batches(every: .zero)))
    station.advance(seconds: 10)
    #expect(!station.dialogue.keepsEpochs && !station.dialogue.listensClosely)
    station.advance(seconds: 30)
    let after = station.takeFixes().admitted
    #expect(after.last?.isStored == false)
    let all = Self.inOrder(before + kept + after)
    #expect(all.count >= 640 && Self.steps(all).allSatisfy { $0 == 1 }, "\(Self.steps(all))")
    #expect(station.takeNotices().isEmpty && station.dialogue.state == .running)
  }

  @Test func theReceiverIsSilentDuringABatch() {
    var station = Self.running()
    station.send(.request(.batches(every: .seconds(280))))
    station.advance(seconds: 3)
    let (writes, answers) = (station.writes, station.answers.count)
    station.advance(seconds: 270)
    #expect(
      station.writes == writes && station.answers.count == answers && station.takeFixes().admitted.count <= 3)
    station.advance(seconds: 15)
    #expect(station.takeFixes().admitted.count >= 275)
  }

  @Test func aBatchThatIsTooShortDoesNotBegin() {
    var station = Self.running()
    let writes = station.writes
    station.send(.request(.batches(every: .seconds(59))))
    station.advance(seconds: 60)
    #expect(!station.dialogue.keepsEpochs && station.writes == writes)
    station.send(.request(.batches(every: .seconds(60))))
    station.advance(seconds: 2)
    station.send(.request(.batches(every: .seconds(40))))
    station.advance(seconds: 2)
    #expect(station.dialogue.keepsEpochs, "a batch in progress continues")
    station.send(.request(.batches(every: .seconds(20))))
    station.advance(seconds: 5)
    #expect(!station.dialogue.keepsEpochs && station.dialogue.state == .running)
  }

  @Test func batchingIsNotOfferedOnUSBOnSlowLinesOrByOtherFamilies() {
    #expect(!Self.running(hasSpeed: false).dialogue.offersBatching)
    #expect(!Self.running(speed: 9600).dialogue.offersBatching)
    #expect(Self.running(speed: 38_400).dialogue.offersBatching)
    #expect(!Self.running(.ublox8) { $0.protocolVersion = "18.00" }.dialogue.offersBatching)
    #expect(!Self.running(.casic).dialogue.offersBatching)
    var station = Self.running(setUp: SetUp(interval: 200))
    station.send(.request(.batches(every: .seconds(280))))
    station.advance(seconds: 10)
    #expect(
      !station.dialogue.keepsEpochs, "300 epochs are a minute, and the way there and back costs as much")
  }

  @Test(arguments: [ModuleModel.ublox8, .ublox9, .ublox10])
  func rejectedBatchingIsReportedAndEpochsContinue(_ model: ModuleModel) {
    var station = Self.running(model) { $0.keepsEpochs = false }
    #expect(station.dialogue.offersBatching)
    station.send(.request(.batches(every: Self.latencyBudget)))
    station.advance(seconds: 30)
    #expect(
      station.takeNotices() == [.batchingFailed(command: model == .ublox8 ? "CFG-BATCH" : "CFG-VALSET")])
    #expect(!station.dialogue.offersBatching && station.dialogue.state == .running)
    station.advance(seconds: 300)
    #expect(station.takeNotices().isEmpty)
    let fixes = station.takeFixes().admitted
    #expect(fixes.count > 325 && fixes.allSatisfy { !$0.isStored })
  }

  enum Request: String, CaseIterable { case sleep, setUp, cyclic, satellites }

  @Test(arguments: Request.allCases)
  func storedEpochsAreRetrievedBeforeAnyOtherRequest(_ request: Request) {
    var station = Self.running()
    station.send(.request(.batches(every: .seconds(280))))
    station.advance(seconds: 3)
    let before = station.takeFixes().admitted
    station.advance(seconds: 150)
    switch request {
    case .sleep: station.send(.request(.asleep(for: nil)))
    case .setUp: station.send(.request(.setUp(SetUp(interval: 1000, dynamics: .pedestrian))))
    case .cyclic: station.send(.request(.power(.cyclic(seconds: 1))))
    case .satellites: station.send(.request(.satellites(true)))
    }
    station.advance(seconds: 8)
    let epochs = Self.inOrder(before + station.takeFixes().admitted)
    #expect(epochs.count >= 150 && Self.steps(epochs).allSatisfy { $0 == 1 }, "\(Self.steps(epochs))")
    switch request {
    case .sleep: #expect(station.dialogue.state == .asleep && station.module.isAsleep)
    case .setUp, .satellites:
      #expect(station.dialogue.state == .running || station.dialogue.state == .configuring)
    case .cyclic: #expect(station.dialogue.isInCyclicMode)
    }
    #expect(!station.takeNotices().contains { if case .epochsLost = $0 { true } else { false } })
    switch request {
    case .sleep: station.send(.request(.awake))
    case .satellites: station.send(.request(.satellites(false)))
    case .setUp, .cyclic: break
    }
    station.advance(seconds: 60)
    #expect(station.dialogue.state == .running && station.dialogue.keepsEpochs, "batching continues")
  }

  @Test func aRetrievalOnRequestIsImmediateAndBatchingContinues() {
    var station = Self.running()
    station.send(.request(.batches(every: .seconds(280))))
    station.advance(seconds: 60)
    _ = station.takeFixes()
    station.send(.request(.storedEpochs))
    #expect(station.dialogue.isTransferringEpochs)
    station.advance(seconds: 3)
    #expect(station.takeFixes().admitted.count >= 55)
    #expect(station.dialogue.keepsEpochs && !station.dialogue.isTransferringEpochs)
  }

  @Test func aReceiverThatDoesNotAnswerEndsBatchingAndLosesItsEpochs() {
    var station = Self.running()
    station.send(.request(.batches(every: Self.latencyBudget)))
    station.advance(seconds: 60)
    station.module.faults.mute = station.now..<(station.now + .seconds(100))
    station.advance(seconds: 300)
    let notices = station.takeNotices()
    #expect(notices.contains(.batchingFailed(command: "LOG-RETRIEVEBATCH")), "\(notices)")
    #expect(notices.contains(.fellSilent))
    #expect(notices.contains { if case .epochsLost(let count) = $0 { count >= 118 } else { false } })
    #expect(station.dialogue.state == .running && !station.dialogue.offersBatching)
    _ = station.takeFixes()
    station.advance(seconds: 60)
    #expect(station.takeFixes().admitted.count >= 59)
  }

  @Test(arguments: [true, false])
  func aPowerLossDuringABatchIsDetectedAndLostEpochsAreReported(isAtFactorySettings: Bool) {
    var station = Self.running()
    station.send(.request(.batches(every: .seconds(280))))
    station.advance(seconds: 100)
    if isAtFactorySettings {
      station.module.faults.restartsAt = station.now + .seconds(1)
    } else {
      station.module.setSupply(false, now: station.now)
      station.module.setSupply(true, now: station.now + .seconds(1))
    }
    station.advance(seconds: 120)
    let notices = station.takeNotices()
    #expect(
      notices.contains { if case .epochsLost(let count) = $0 { (95...260).contains(count) } else { false } },
      "\(notices)")
    #expect(station.dialogue.state == .running)
    station.advance(seconds: 120)
    #expect(
      station.dialogue.keepsEpochs != isAtFactorySettings,
      "batching is offered again, except on a line at 9600 bit/s")
  }

  /// The host was cut while the receiver went on with a supply of its own.
  @Test(arguments: [ModuleModel.ublox8, .ublox10], [20.0, 150, 250])
  func theNextRunRetrievesWhatTheReceiverStoresMeanwhile(_ model: ModuleModel, _ seconds: Double) {
    var station = Self.running(model)
    station.send(.request(.batches(every: .seconds(280))))
    station.advance(seconds: 10)
    #expect(station.remembered?.storesEpochs == true)
    let before = station.takeFixes().admitted
    station.beginNextRun(after: seconds)
    let isRunning = station.advance(until: .running, seconds: 30)
    #expect(isRunning)
    station.advance(seconds: 30)
    #expect(!station.dialogue.keepsEpochs && station.remembered?.storesEpochs == false)
    let all = Self.inOrder(before + station.takeFixes().admitted)
    #expect(all.count >= Int(seconds) + 35 && Self.steps(all).allSatisfy { $0 == 1 }, "\(Self.steps(all))")
    let lost = station.takeNotices().contains {
      switch $0 {
      case .epochsLost, .epochsMissing: true
      default: false
      }
    }
    #expect(!lost && station.dialogue.offersBatching)
    station.send(.request(.batches(every: .seconds(280))))
    station.advance(seconds: 5)
    #expect(station.dialogue.keepsEpochs, "the next batch")
  }

  /// The memory holds five minutes; the newest remain.
  @Test func theNextRunReportsEpochsForWhichThereWasNoRoom() {
    var station = Self.running()
    station.send(.request(.batches(every: .seconds(280))))
    station.advance(seconds: 10)
    _ = station.takeFixes()
    station.beginNextRun(after: 500)
    station.advance(seconds: 60)
    let notices = station.takeNotices()
    let missing = notices.compactMap { if case .epochsMissing(let missing, _) = $0 { missing } else { nil } }
    #expect(missing.count == 1 && (200...215).contains(missing.first?.dropped ?? 0), "\(notices)")
    #expect(!notices.contains { if case .epochsLost = $0 { true } else { false } }, "once")
    let all = Self.inOrder(station.takeFixes().admitted)
    #expect(missing.first?.before == all.first?.timestamp)
    let steps = missing.first.map { ($0.before - $0.after).inSeconds } ?? 0
    #expect(abs(steps - Double(missing.first?.dropped ?? 0)) < 3, "the time range is that of the lost epochs")
    #expect(all.count >= 340 && Self.steps(all).allSatisfy { $0 == 1 })
  }

  @Test(arguments: ["restarted", "silent", "replaced"])
  func aReceiverThatStoresNothingIsFoundAsUsual(_ fate: String) {
    var station = Self.running()
    station.send(.request(.batches(every: .seconds(280))))
    station.advance(seconds: 10)
    switch fate {
    case "restarted":
      station.module.setSupply(false, now: station.now)
      station.module.setSupply(true, now: station.now + .seconds(1))
    case "silent": station.module.faults.mute = station.now..<(station.now + .seconds(120))
    default: station.module = Self.running(.casic, speed: 9600).module
    }
    _ = station.takeNotices()
    station.beginNextRun(after: 90)
    station.advance(seconds: 120)
    #expect(station.dialogue.state == .running && station.remembered?.storesEpochs == false, "\(fate)")
    let notices = station.takeNotices()
    #expect(!notices.contains { if case .batchingFailed = $0 { true } else { false } }, "\(notices)")
    _ = station.takeFixes()
    station.advance(seconds: 30)
    #expect(station.takeFixes().admitted.count >= 28, "\(fate)")
  }

  @Test func withoutAFixTheReceiverReportsEveryEpochForAMinute() {
    var station = Self.running()
    station.send(.request(.batches(every: Self.latencyBudget)))
    station.advance(seconds: 3)
    #expect(station.dialogue.keepsEpochs)
    station.send(.request(.storedEpochs))
    station.advance(seconds: 2)
    station.module.setReception(false, now: station.now)
    station.advance(seconds: 125)
    #expect(!station.dialogue.keepsEpochs)
    _ = station.takeFixes()
    station.advance(seconds: 30)
    let blind = station.takeFixes().admitted
    #expect(blind.count >= 29 && blind.allSatisfy { $0.kind == .none })
    station.module.setReception(true, now: station.now)
    station.advance(seconds: 60)
    #expect(station.dialogue.keepsEpochs && station.takeNotices().isEmpty)
  }

  @Test func damagedEpochsAreReportedAsLostAndTheOthersKept() {
    var bench = Batch()
    bench.begin()
    bench.take(.batch(stored: 10, dropped: 3))
    for _ in 0..<5 { bench.take(.storedEpoch) }
    #expect(bench.batching.stage == .receiving(left: 5))
    bench.timeOut()
    #expect(bench.outcomes.last == .taken(5) && bench.batching.takeLost() == 8)
    #expect(bench.batching.stage == .keeping)
  }

  @Test func anEpochCountBeyondTheMemoryIsLimited() {
    var bench = Batch()
    bench.begin()
    bench.take(.batch(stored: 65_535, dropped: 0))
    #expect(bench.batching.stage == .receiving(left: 300))
    #expect((bench.batching.deadline ?? .zero) - bench.now < .seconds(5))
  }

  @Test func lostRepliesCostNoEpoch() {
    for seed in 1...12 as ClosedRange<UInt64> {
      var station = Self.running { $0.seed = seed }
      station.module.faults.lostAnswers = 0.5
      station.send(.request(.batches(every: Self.latencyBudget)))
      station.advance(seconds: 15)
      station.module.faults.lostAnswers = 0
      station.advance(seconds: 85)
      station.send(.request(.batches(every: .zero)))
      station.advance(seconds: 40)
      let fixes = Self.inOrder(station.takeFixes().admitted)
      #expect(
        fixes.count >= 135 && Self.steps(fixes).allSatisfy { $0 == 1 }, "seed \(seed) \(Self.steps(fixes))")
      #expect(station.dialogue.state == .running && !station.dialogue.isBatching)
    }
  }

  @Test func inCyclicTrackingTheReceiverIsWokenForCommands() {
    var station = Self.running()
    station.send(.request(.power(.cyclic(seconds: 1))))
    station.advance(seconds: 5)
    #expect(station.dialogue.isInCyclicMode)
    _ = station.takeLog()
    station.send(.request(.batches(every: Self.latencyBudget)))
    station.advance(seconds: 125)
    let log = station.takeLog()
    #expect(
      log.first?.bytes.first == 0xFF && log.last?.bytes.starts(with: [0xFF, 0xB5, 0x62, 0x21, 0x10]) == true)
    #expect(station.dialogue.keepsEpochs && station.takeFixes().admitted.count > 115)
  }

  /// A batching phase alone, with its clock.
  private struct Batch {
    var now = Moment.zero
    var actions: [DialogueAction] = []
    var outcomes: [Batching.Outcome] = []
    var batching: Batching

    init() {
      let sequence = UBloxKeysDialect(identity: ReceiverIdentity(family: .ubloxKeys, protocolVersion: 3410))
        .batching(SetUp())
      let empty = BatchSequence(entries: 1, begin: [], retrieve: UBX.retrieveBatch, resume: [], end: [])
      batching = Batching(
        sequence ?? empty, line: LineState(speed: 115_200, isOpen: true), waking: [], now: .zero, &actions)
    }

    mutating func take(_ answer: ReceiverAnswer) {
      outcomes.append(batching.take(answer, now: now, &actions))
    }

    mutating func begin() {
      for _ in 0..<4 { take(.acknowledge(class: 0x06, id: 0x8A, accepted: true)) }
      batching.retrieve(now: now, &actions)
    }

    mutating func timeOut() {
      now = batching.deadline ?? now
      outcomes.append(batching.handleTimeout(now: now, &actions))
    }
  }
}
