import EventLoop
import Foundation
import GNSSProtocol
import GNSSReceiver
import Quantities
import Simulation
import System
import TestSupport
import Testing
import Devices

/// The dialogue on a pseudo-terminal, with simulated modules at the other end.
@Suite final class ReceiverDialogueLineTests {
  let loop: EventLoop
  let directory: String
  let port: String
  private var fixes: [Fix] = []
  private var notices: [LineNotice] = []
  private var remembered: [KnownReceiver] = []

  init() throws {
    loop = try EventLoop(simulating: SimulatedClock(timestamp: Timestamp(milliseconds: 1_782_000_000_000)))
    directory = NSTemporaryDirectory() + "/dialogue-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    port = directory + "/receiver"
  }

  deinit { try? FileManager.default.removeItem(atPath: directory) }

  private func plug(_ talker: ModuleTalker) throws {
    try? FileManager.default.removeItem(atPath: port)
    try FileManager.default.createSymbolicLink(atPath: port, withDestinationPath: talker.terminal.path)
  }

  private func line(
    control: ReceiverControl = .full, target: UInt32? = nil, known: KnownReceiver? = nil,
    supply: SupplySwitch? = nil
  ) -> ReceiverLine {
    let line = ReceiverLine(
      loop: loop, path: port,
      settings: DialogueSettings(control: control, targetSpeed: target, setUp: SetUp(interval: 1000)),
      known: known, supply: supply)
    line.onEpoch = { [unowned self] fix, _ in if fix.kind != .none { fixes.append(fix) } }
    line.outputs.notice = { [unowned self] in notices.append($0) }
    line.outputs.remember = { [unowned self] in remembered.append($0) }
    return line
  }

  private var dialogueNotices: [DialogueNotice] {
    notices.compactMap { if case .dialogue(let notice) = $0 { notice } else { nil } }
  }

  /// Runs the loop until `isMet`; records an issue after `limit`.
  private func comes(
    within limit: Duration = .seconds(40), at location: SourceLocation = #_sourceLocation,
    _ isMet: @escaping () -> Bool
  ) throws {
    let deadline = loop.addTimer("deadline") { [loop] _ in loop.stop() }
    deadline.arm(at: loop.now + limit)
    defer { loop.removeTimer(deadline) }
    var wasMet = false
    loop.everyTurn { [loop] now in
      guard !wasMet, isMet() else { return }
      wasMet = true
      loop.stop()
    }
    try loop.run()
    #expect(wasMet, "\(notices)", sourceLocation: location)
  }

  static let families: [(model: ModuleModel, family: ReceiverFamily)] = [
    (.ublox8, .ubloxMessages), (.ublox10, .ubloxKeys), (.mediaTek, .mediaTek), (.casic, .casic),
  ]

  @Test(arguments: families.indices)
  func aReceiverIsFoundIdentifiedConfiguredAndRead(_ index: Int) throws {
    let (model, family) = Self.families[index]
    let talker = try ModuleTalker(loop: loop, model)
    try plug(talker)
    let line = line()
    line.start()
    try comes { [unowned self] in line.state == .running && fixes.count >= 3 }
    #expect(line.provenSpeed == 9600)
    #expect(line.receiver?.family == family)
    #expect(dialogueNotices.first == .found(speed: 9600))
    #expect(
      dialogueNotices.contains {
        if case .identified(let identity) = $0 { identity.family == family } else { false }
      })
    #expect(dialogueNotices.contains(.configured(refused: 0, unanswered: 0)), "\(dialogueNotices)")
    #expect(remembered.last?.identity.family == family)
    #expect(remembered.last?.setUp != nil)
    #expect(zip(remembered, remembered.dropFirst()).allSatisfy { $0 != $1 })
  }

  @Test func aKnownReceiverIsNotQueriedOrStoredAgain() throws {
    let talker = try ModuleTalker(loop: loop, .ublox10)
    try plug(talker)
    do {
      let line = line()
      line.start()
      try comes { line.state == .running }
      line.finish(now: loop.now)
    }
    let known = try #require(remembered.last)
    let before = talker.received.count
    remembered = []
    let line = line(known: known)
    line.start()
    try comes { line.state == .running }
    #expect(line.receiver == known.identity)
    #expect(remembered.isEmpty, "\(remembered)")
    #expect(talker.received.count - before < before)
  }

  @Test(arguments: [ReceiverControl.full, .none])
  func aColdReceiverGetsTimeAndPositionAiding(control: ReceiverControl) throws {
    let talker = try ModuleTalker(loop: loop, .ublox10) { $0.firstStart = .cold }
    try plug(talker)
    let line = line(control: control)
    let knownPosition = try #require(Coordinate(latitude: 52.5, longitude: 13.4))
    line.outputs.startAid = { now in
      StartAid(
        time: StartAid.Time(
          utc: Timestamp(milliseconds: 1_774_087_200_000), error: .milliseconds(100), at: now),
        knownPosition: StartAid.KnownPosition(position: knownPosition, altitude: 40, error: 100, at: now))
    }
    line.start()
    // MGA-INI, class 13 id 40: type 10 is UTC, type 01 the position.
    let delivered = { [unowned talker] (type: UInt8, length: UInt8) in
      talker.received.indices.contains { index in
        talker.received[index...].starts(with: [0xB5, 0x62, 0x13, 0x40, length, 0, type])
      }
    }
    switch control {
    case .full: try comes { delivered(0x10, 24) && delivered(0x01, 20) }
    case .none:
      try comes { line.state == .running }
      #expect(talker.received.isEmpty)
    }
  }

  @Test func withoutControlNothingIsWritten() throws {
    let talker = try ModuleTalker(loop: loop, .ublox8) { $0.savedSpeed = 115_200 }
    try plug(talker)
    let line = line(control: .none)
    line.start()
    try comes { [unowned self] in line.provenSpeed == 115_200 && fixes.count >= 2 }
    try talker.move()
    try plug(talker)
    try comes { [unowned self] in notices.contains { if case .lost = $0 { true } else { false } } }
    let before = fixes.count
    try comes { [unowned self] in line.provenSpeed == 115_200 && fixes.count > before }
    line.finish(now: loop.now)
    #expect(talker.received.isEmpty)
  }

  @Test func theReceiverIsSetToATargetBaudRateAndFollowedWhenItChangesIt() throws {
    let talker = try ModuleTalker(loop: loop, .ublox8)
    try plug(talker)
    let line = line(target: 38_400)
    line.start()
    try comes { line.state == .running }
    #expect(line.provenSpeed == 38_400)
    #expect(talker.module.speed == 38_400)
    #expect(dialogueNotices.contains(.speedChanged(from: 9600, to: 38_400)))
    // The module loses its settings and uses its factory baud rate.
    talker.module.faults.speedChange = .init(at: .zero, speed: 9600)
    try comes(within: .seconds(60)) { talker.module.speed == 9600 && line.provenSpeed == nil }
    try comes(within: .seconds(60)) { line.state == .running && line.provenSpeed == talker.module.speed }
  }

  @Test func unpluggingDuringTheDialogueIsHarmless() throws {
    let talker = try ModuleTalker(loop: loop, .mediaTek)
    try plug(talker)
    let line = line()
    line.start()
    try comes { line.state == .configuring }
    try talker.move()
    try comes { !line.isOpen }
    #expect(line.state == .closed)
    try plug(talker)
    try comes { [unowned self] in line.state == .running && !fixes.isEmpty }
    #expect(line.receiver?.family == .mediaTek)
    #expect(notices.count { if case .lost = $0 { true } else { false } } == 1)
  }

  /// An Airoha wakes from sleep only by a pin, so the supply switch is used.
  @Test func theEnableLinePutsTheReceiverToSleepAndWakesIt() throws {
    let talker = try ModuleTalker(loop: loop, .airoha)
    try plug(talker)
    var levels: [Bool] = []
    let line = line(
      known: KnownReceiver(speed: 115_200, identity: ReceiverIdentity(family: .airoha)),
      supply: { isOn in
        levels.append(isOn)
        talker.setSupply(isOn)
      })
    line.start()
    try comes { [unowned self] in line.state == .running && fixes.count >= 2 }
    #expect(!levels.contains(false))
    line.request(.asleep(for: nil))
    try comes { line.state == .asleep }
    #expect(levels.last == false)
    let before = fixes.count
    line.request(.awake)
    try comes { [unowned self] in line.state == .running && fixes.count > before }
    #expect(levels.last == true)
  }

  @Test func aFailedSupplySwitchIsReported() throws {
    let talker = try ModuleTalker(loop: loop, .airoha)
    try plug(talker)
    let refusal = SystemError(call: "GPIO_V2_LINE_SET_VALUES", subject: "/dev/gpiochip0 line 27", number: EIO)
    let line = line(
      known: KnownReceiver(speed: 115_200, identity: ReceiverIdentity(family: .airoha)),
      supply: { isOn throws(SystemError) in if !isOn { throw refusal } })
    line.start()
    try comes { line.state == .running }
    line.request(.asleep(for: nil))
    try comes { [unowned self] in notices.contains(.supplyRefused(refusal)) }
  }

  @Test func aReceiverWithSiRFBinaryIsReported() throws {
    let terminal = try PseudoTerminal()
    try? FileManager.default.removeItem(atPath: port)
    try FileManager.default.createSymbolicLink(atPath: port, withDestinationPath: terminal.path)
    let line = line(control: .none)
    line.start()
    // Message 2 of the protocol, with its own sum of 15 bits.
    let payload: [UInt8] = [2] + [UInt8](repeating: 7, count: 40)
    let sum = payload.reduce(0) { $0 + Int($1) } & 0x7FFF
    let frame = [0xA0, 0xA2, 0, 41] + payload + [UInt8(sum >> 8), UInt8(sum & 0xFF), 0xB0, 0xB3]
    let talk = loop.addTimer("talk") { _ in _ = terminal.write((frame + frame)[...]) }
    talk.arm(at: loop.now)
    try comes { [unowned self] in notices.contains(.foreign(.sirfBinary)) }
    #expect(notices.count { $0 == .foreign(.sirfBinary) } == 1)
  }

  @Test(arguments: families.indices)
  func aReceiverInAcquisitionReportsSignalStrengths(_ index: Int) throws {
    let (model, family) = Self.families[index]
    let talker = try ModuleTalker(loop: loop, model) { $0.firstStart = .cold }
    try plug(talker)
    let line = line(known: KnownReceiver(speed: 9600, identity: ReceiverIdentity(family: family)))
    var received: [Double] = []
    line.outputs.signalStrength = { strongest, _ in received.append(strongest) }
    line.start()
    try comes { line.state == .running }
    #expect(received.isEmpty)
    line.reportsSignalStrength = true
    try comes { received.count >= 2 }
    // Simulated modules with sentences report no satellites before their fix.
    #expect(received.max() == (index < 2 ? 46 : 0))
    line.reportsSignalStrength = false
    let before = received.count
    try comes { [unowned self] in !fixes.isEmpty }
    #expect(received.count == before)
  }

  @Test func aChangedDesiredStateIsSentToTheReceiver() throws {
    let talker = try ModuleTalker(loop: loop, .ublox10) { $0.savedSpeed = 115_200 }
    try plug(talker)
    let line = line(known: KnownReceiver(speed: 115_200, identity: ReceiverIdentity(family: .ubloxKeys)))
    line.start()
    try comes { [unowned self] in line.state == .running && fixes.count >= 2 }
    line.request(.setUp(SetUp(interval: 200)))
    let before = fixes.count
    let start = loop.now
    try comes { [unowned self] in fixes.count >= before + 25 }
    #expect(loop.now - start < .seconds(15))
  }

  // MARK: Epochs stored in the receiver

  private var delivered: [(fix: Fix, moment: Moment)] = []

  private func batchingLine() throws -> (ModuleTalker, ReceiverLine) {
    let talker = try ModuleTalker(loop: loop, .ublox10) { $0.savedSpeed = 115_200 }
    try plug(talker)
    let line = line(
      known: KnownReceiver(
        speed: 115_200, identity: ReceiverIdentity(family: .ubloxKeys, protocolVersion: 3410)))
    line.onEpoch = { [unowned self] fix, moment in delivered.append((fix, moment)) }
    line.start()
    try comes { [unowned self] in line.state == .running && delivered.count >= 2 }
    line.coalesceEpochs(for: .seconds(120))
    try comes { line.isBatching }
    return (talker, line)
  }

  private func expectEachOnce(at location: SourceLocation = #_sourceLocation) {
    let times = delivered.compactMap(\.fix.timestamp)
    let steps = zip(times, times.dropFirst()).map { ($1 - $0).inSeconds }
    #expect(steps.allSatisfy { $0 == 1 }, "\(steps)", sourceLocation: location)
    let moments = zip(delivered, delivered.dropFirst()).map { ($1.moment - $0.moment).inSeconds }
    #expect(moments.allSatisfy { $0 > 0.5 && $0 < 1.5 }, "\(moments)", sourceLocation: location)
  }

  @Test func storedEpochsAreReadForADecisionAndAtTheEndOfTheWait() throws {
    let (talker, line) = try batchingLine()
    let (before, received) = (delivered.count, talker.received.count)
    let start = loop.now
    try comes { [unowned self] in loop.now - start >= .seconds(8) }
    #expect(delivered.count == before && talker.received.count == received, "the line is left alone")
    var caughtUpAt: Int?
    line.outputs.caughtUp = { [unowned self] _ in caughtUpAt = delivered.count }
    #expect(!line.catchUp(now: loop.now, asks: false))
    #expect(talker.received.count == received)
    #expect(!line.catchUp(now: loop.now))
    try comes { caughtUpAt != nil }
    #expect((caughtUpAt ?? 0) >= before + 7 && line.isBatching)
    let again = delivered.count
    try comes { [unowned self] in loop.now - start >= .seconds(12) }
    line.coalesceEpochs(for: .zero)
    try comes { [unowned self] in !line.isBatching && delivered.last?.fix.isStored == false }
    #expect(delivered.count >= again + 3)
    try comes { [unowned self] in delivered.count >= again + 7 }
    expectEachOnce()
    #expect(line.catchUp(now: loop.now) && line.faults.isEmpty)
    #expect(notices.allSatisfy { if case .began = $0 { false } else { true } }, "\(notices)")
  }

  @Test func unpluggingWhileEpochsAreStoredReportsTheLossToTheCaller() throws {
    let (talker, line) = try batchingLine()
    let start = loop.now
    try comes { [unowned self] in loop.now - start >= .seconds(4) }
    var isCaughtUp = false
    line.outputs.caughtUp = { _ in isCaughtUp = true }
    #expect(!line.catchUp(now: loop.now, asks: false))
    try talker.move()
    try comes { isCaughtUp }
    #expect(!line.isBatching)
    #expect(
      dialogueNotices.contains {
        if case .epochsLost(let count) = $0 { (2...6).contains(count) } else { false }
      },
      "\(dialogueNotices)")
  }

  @Test func aFullMemoryIsReadInFewPiecesWithoutLoss() throws {
    let (talker, line) = try batchingLine()
    let before = delivered.count
    talker.skip(.seconds(270))
    var isCaughtUp = false
    line.outputs.caughtUp = { _ in isCaughtUp = true }
    let start = loop.now
    #expect(!line.catchUp(now: start))
    try comes { isCaughtUp }
    // 30 kB at 115,200 bit/s.
    #expect((2.5...6).contains((loop.now - start).inSeconds))
    let stored = delivered.suffix(from: before).compactMap(\.fix.timestamp)
    #expect(stored.count >= 270)
    #expect(zip(stored, stored.dropFirst()).allSatisfy { ($1 - $0).inSeconds == 1 })
    #expect(!dialogueNotices.contains { if case .epochsLost = $0 { true } else { false } })
  }

  @Test func storedEpochsAreReadAtTheEndOfTheProgram() throws {
    let (talker, line) = try batchingLine()
    let start = loop.now
    try comes { [unowned self] in loop.now - start >= .seconds(5) }
    let before = delivered.count
    // The loop no longer runs, so the other end answers on a separate thread.
    let answering = talker.answeringOnAThread()
    line.finish(now: loop.now)
    answering.stop()
    #expect(delivered.count >= before + 4)
    expectEachOnce()
  }

  /// The program ends because the host is cut, and the receiver has a supply of its own.
  @Test func aReceiverThatIsLeftStoringHasTheEpochsForTheNextRunEachWithItsTime() throws {
    let (talker, line) = try batchingLine()
    let start = loop.now
    try comes { [unowned self] in loop.now - start >= .seconds(5) }
    let (before, received) = (delivered.count, talker.received.count)
    line.finish(now: loop.now, leavesStoring: true)
    #expect(delivered.count == before && talker.received.count == received, "the receiver is left alone")
    let known = try #require(remembered.last)
    #expect(known.storesEpochs)
    talker.skip(.seconds(200))
    let first = delivered.count
    let next = self.line(known: known)
    next.onEpoch = { [unowned self] fix, moment in delivered.append((fix, moment)) }
    next.start()
    try comes { [unowned self] in next.state == .running && delivered.count >= first + 210 }
    let times = delivered.compactMap(\.fix.timestamp)
    let steps = zip(times, times.dropFirst()).map { ($1 - $0).inSeconds }
    #expect(steps.allSatisfy { $0 == 1 }, "\(steps)")
    let stored = delivered[first...].filter(\.fix.isStored)
    let span = (stored.last?.moment ?? .zero) - (stored.first?.moment ?? .zero)
    #expect(stored.count >= 203 && span > .seconds(200), "not at once, but when they were: \(span)")
    #expect((stored.first?.moment ?? .zero) < loop.now - .seconds(200), "also before the start of the host")
    let moments = delivered[first...].map(\.moment)
    let intervals = zip(moments, moments.dropFirst()).map { ($1 - $0).inSeconds }
    #expect(intervals.allSatisfy { $0 > 0.5 && $0 < 1.5 }, "\(intervals)")
    #expect(remembered.last?.storesEpochs == false)
    #expect(!dialogueNotices.contains { if case .epochsMissing = $0 { true } else { false } })
  }
}
