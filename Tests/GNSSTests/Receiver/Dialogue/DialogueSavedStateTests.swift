import Quantities
import Simulation
import Testing
import GNSSProtocol
@testable import GNSSReceiver

/// The navigation state of the receiver survives a cut of its supply.
@Suite struct DialogueSavedStateTests {
  /// A module with flash and without backup supply, which only the enable line puts to sleep.
  static func station(
    _ model: ModuleModel, _ change: (inout ModuleOptions) -> Void = { _ in }
  ) -> DialogueStation {
    var station = DialogueStation(model, hasEnableLine: true) {
      $0.hasBackupSupply = false
      $0.hasFlash = true
      $0.faults.staysAwake = true
      change(&$0)
    }
    station.advance(seconds: 60)
    _ = station.takeNotices()
    _ = station.takeLog()
    return station
  }

  static func saves(_ log: [(moment: Moment, bytes: [UInt8])]) -> [String] {
    log.compactMap { _, bytes in
      guard bytes.starts(with: [0xB5, 0x62, 0x09, 0x14, 4, 0]) else { return nil }
      return bytes[6] == 0 ? "save" : "clear"
    }
  }

  @Test(arguments: [ModuleModel.ublox8, .ublox9])
  func theStateIsSavedBeforeTheCutAndClearedAfterIt(_ model: ModuleModel) {
    var station = Self.station(model)
    station.send(.request(.asleep(for: nil)))
    station.advance(seconds: 20)
    #expect(station.dialogue.state == .asleep && station.module.isAsleep)
    #expect(Self.saves(station.takeLog()) == ["save"])
    station.advance(seconds: 600)
    let now = station.now
    station.send(
      .request(.aid(StartAid(time: .init(utc: ModuleOptions().utc + (now - .zero), error: .zero, at: now)))))
    _ = station.takeFixes()
    station.send(.request(.awake))
    station.advance(seconds: 20)
    #expect(station.answers.contains(.savedState(command: 3, response: 2)))
    #expect(Self.saves(station.takeLog()) == ["clear"])
    // With time aiding, the saved state makes the start hot.
    #expect(station.takeFixes().admitted.contains { $0.kind != .none })
    #expect(station.takeNotices().prefix(2) == [.asleep, .awake])
  }

  /// Nothing is saved if the receiver sleeps by a command, or without receiver control.
  @Test func aSleepThatKeepsTheSupplySavesNothing() {
    var station = Self.station(.ublox8) { $0.faults.staysAwake = false }
    station.send(.request(.asleep(for: nil)))
    station.advance(seconds: 20)
    #expect(station.dialogue.state == .asleep)
    #expect(Self.saves(station.takeLog()).isEmpty)
  }

  @Test func withoutFlashAnUnansweredSaveDoesNotPreventSleep() {
    var station = Self.station(.ublox8) { $0.hasFlash = false }
    station.send(.request(.asleep(for: nil)))
    station.advance(seconds: 25)
    #expect(station.dialogue.state == .asleep && station.module.isAsleep)
    #expect(station.takeNotices() == [.asleep])
    #expect(Self.saves(station.takeLog()) == ["save", "save"])
    station.send(.request(.awake))
    station.advance(seconds: 60)
    #expect(station.module.hasFix)
    #expect(Self.saves(station.takeLog()).isEmpty)
  }

  @Test func savesAreLimitedToProtectTheFlash() {
    var station = Self.station(.ublox8)
    // A night with a cut of the supply every half hour.
    for _ in 0..<24 {
      station.send(.request(.asleep(for: .seconds(1500))))
      station.advance(seconds: 1800)
      #expect(station.dialogue.state == .running)
    }
    let saves = Self.saves(station.takeLog())
    #expect(saves == ["save", "clear", "save", "clear"])
  }

  /// The receiver is stopped for the save, and started again.
  @Test(arguments: [true, false])
  func aWakeRequestDuringASaveIsHonoured(hasFlash: Bool) {
    var interrupted = 0
    for wait in stride(from: 1, through: 99, by: 2) {
      var station = Self.station(.ublox8) { $0.hasFlash = hasFlash }
      station.send(.request(.asleep(for: nil)))
      station.advance(seconds: Double(wait) / 10)
      let wasSaving = !Self.saves(station.log).isEmpty && station.dialogue.state == .fallingAsleep
      if wasSaving { interrupted += 1 }
      station.send(.request(.awake))
      station.advance(seconds: 40)
      #expect(station.dialogue.state == .running && station.module.hasFix, "after \(wait) tenths")
      if wasSaving, hasFlash { #expect(Self.saves(station.log).last == "clear") }
    }
    #expect(interrupted > 0)
  }

  /// An enable line without effect.
  @Test func aReceiverThatWasNotCutIsStartedAgain() {
    var bench = DialogueBench(
      DialogueSettings(control: .full, hasEnableLine: true),
      known: KnownReceiver(
        speed: 9600, identity: ReceiverIdentity(family: .ubloxMessages, protocolVersion: 1800)))
    bench.send(.opened(hasSpeed: true))
    bench.received(200, 2)
    bench.send(
      .answer(
        .version(ReceiverIdentity(family: .ubloxMessages, protocolVersion: 1800, firmware: "3.01"))))
    bench.advance(seconds: 2)
    #expect(bench.dialogue.state == .running)
    var fix = Fix()
    fix.kind = .threeDimensional
    for _ in 0..<4 { _ = bench.dialogue.admits(fix, now: bench.now) }
    bench.send(.request(.asleep(for: nil)))
    for _ in 0..<200 where bench.dialogue.state == .fallingAsleep {
      bench.advance(milliseconds: 100)
      bench.received(100, 1)
    }
    let actions = bench.take()
    #expect(actions.contains(.enableLine(false)))
    #expect(actions.contains(.report(.doesNotSleep(.keepsTalking))))
    let start = UBX.resume.map { DialogueAction.write($0.bytes) }
    #expect(actions.contains { start.contains($0) })
    #expect(bench.dialogue.state == .running)
  }

  @Test func aPortLossDuringASaveCutsTheSupply() {
    var station = Self.station(.ublox8)
    station.send(.request(.asleep(for: nil)))
    while !Self.saves(station.log).contains("save"), station.dialogue.state != .asleep {
      station.advance(seconds: 0.1)
    }
    #expect(station.dialogue.state == .fallingAsleep)
    station.send(.lost)
    #expect(station.module.isAsleep)
    station.send(.opened(hasSpeed: true))
    station.send(.request(.awake))
    station.advance(seconds: 60)
    #expect(station.module.hasFix)
  }
}
