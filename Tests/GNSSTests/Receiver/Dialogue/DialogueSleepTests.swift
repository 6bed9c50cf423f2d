import Quantities
import Simulation
import Testing

/// Sleep and wake-up, and receivers that do not wake.
@Suite struct DialogueSleepTests {
  @Test func nothingIsPolledDuringSleep() {
    var station = DialogueStation(.ublox8)
    station.advance(seconds: 60)
    station.send(.request(.asleep(for: nil)))
    station.advance(seconds: 10)
    #expect(station.dialogue.state == .asleep && station.module.isAsleep)
    #expect(station.dialogue.nextTimeout == nil)
    let writes = station.writes
    station.advance(seconds: 7200)
    #expect(station.writes == writes)
    #expect(station.dialogue.state == .asleep)
    _ = station.takeNotices()
    station.send(.request(.awake))
    station.advance(seconds: 5)
    #expect(station.dialogue.state == .running)
    #expect(station.takeNotices() == [.awake])
  }

  @Test(arguments: [ModuleModel.ublox8, .ublox10, .mediaTek, .casic])
  func theReceiverWakesAfterTheDuration(_ model: ModuleModel) {
    var station = DialogueStation(model)
    station.advance(seconds: 60)
    _ = station.takeNotices()
    station.send(.request(.asleep(for: .seconds(60))))
    station.advance(seconds: 30)
    #expect(station.dialogue.state == .asleep)
    station.advance(seconds: 50)
    let notices = station.takeNotices()
    #expect(station.dialogue.state == .running, "\(notices)")
    #expect(notices.prefix(2) == [.asleep, .awake])
  }

  /// The wake byte is not received, or is not sufficient.
  @Test func aReceiverThatDoesNotWakeIsReportedAndSearchedWithBackOff() {
    var station = DialogueStation(.ublox8) { $0.faults.wakesOnlyByPin = true }
    station.advance(seconds: 60)
    station.send(.request(.asleep(for: nil)))
    station.advance(seconds: 10)
    _ = station.takeNotices()
    station.send(.request(.awake))
    station.advance(seconds: 2 * 3600)
    #expect(station.takeNotices() == [.doesNotWake, .mute(hasSpeed: true)])
    let writes = station.writes
    station.advance(seconds: 3600)
    #expect(station.writes - writes <= 3 * 9 * 8)
    station.module.pulseWakePin(now: station.now)
    station.advance(seconds: 3600)
    #expect(station.dialogue.state == .running)
  }

  @Test func aWiredEnableLineWakesTheReceiver() {
    var station = DialogueStation(.ublox8, hasEnableLine: true) { $0.faults.wakesOnlyByPin = true }
    station.advance(seconds: 60)
    station.send(.request(.asleep(for: nil)))
    station.advance(seconds: 10)
    #expect(station.dialogue.state == .asleep)
    _ = station.takeNotices()
    station.send(.request(.awake))
    station.advance(seconds: 60)
    #expect(station.dialogue.state == .running, "\(station.takeNotices())")
    #expect(station.takeNotices().first == .awake)
  }

  @Test(arguments: [false, true])
  func sleepUsesTheCommandUnlessASupplyCutIsRequested(withoutSupply: Bool) {
    var station = DialogueStation(.ublox8, hasEnableLine: true)
    station.advance(seconds: 60)
    station.send(.request(.asleep(for: .seconds(600), withoutSupply: withoutSupply)))
    station.advance(seconds: 10)
    #expect(station.dialogue.state == .asleep && station.module.isAsleep)
    #expect(station.dialogue.isWithoutSupply == withoutSupply)
    #expect(station.isSupplied != withoutSupply)
    station.advance(seconds: 660)
    #expect(station.dialogue.state == .running && !station.dialogue.isWithoutSupply)
    // Without an enable line, the command must be sufficient.
    var unwired = DialogueStation(.ublox8)
    unwired.advance(seconds: 60)
    unwired.send(.request(.asleep(for: nil, withoutSupply: withoutSupply)))
    unwired.advance(seconds: 10)
    #expect(unwired.dialogue.state == .asleep && !unwired.dialogue.isWithoutSupply)
  }

  @Test(arguments: [ModuleModel.plain, .airoha])
  func aReceiverWithoutASleepCommandIsSwitchedOff(_ model: ModuleModel) {
    var station = DialogueStation(model, hasEnableLine: true)
    station.advance(seconds: 120)
    _ = station.takeNotices()
    station.send(.request(.asleep(for: .seconds(120))))
    station.advance(seconds: 10)
    #expect(station.dialogue.state == .asleep && station.module.nextMoment == nil)
    station.advance(seconds: 180)
    #expect(station.dialogue.state == .running, "\(station.takeNotices())")
    #expect(station.takeNotices().prefix(2) == [.asleep, .awake])
  }

  @Test(arguments: [ModuleModel.ublox6, .ublox8, .ublox10, .casic])
  func settingsLostInASleepAreSentAgain(_ model: ModuleModel) {
    var station = DialogueStation(model, target: 38_400) {
      $0.hasBackupSupply = false
      $0.keepsMemoryAsleep = false
    }
    station.advance(seconds: 60)
    #expect(station.dialogue.provenSpeed == 38_400)
    for _ in 0..<5 {
      station.send(.request(.asleep(for: nil)))
      station.advance(seconds: 30)
      #expect(station.dialogue.state == .asleep)
      station.send(.request(.awake))
      station.advance(seconds: 40)
      let notices = station.takeNotices()
      #expect(station.dialogue.state == .running, "\(notices)")
      #expect(station.dialogue.provenSpeed == station.module.speed, "\(notices)")
      #expect(station.module.speed == 38_400, "\(notices)")
    }
  }

  @Test func dataRepeatedFromBeforeASleepIsHeldBack() {
    var station = DialogueStation(.mediaTek) { $0.faults.wakesTorn = true }
    station.advance(seconds: 60)
    station.send(.request(.asleep(for: nil)))
    station.advance(seconds: 600)
    let before = station.takeFixes()
    #expect(before.withheld.count <= 3 && before.admitted.count > 20)
    station.send(.request(.awake))
    station.advance(seconds: 30)
    let after = station.takeFixes()
    #expect(after.withheld.count <= 3)
    let last = before.admitted.last { $0.kind != .none }
    let first = after.admitted.first { $0.kind != .none }
    #expect(first?.latitude != nil)
    #expect(first?.latitude != last?.latitude || first?.longitude != last?.longitude)
  }

  /// Noise on the line wakes a receiver that should sleep.
  @Test func aReceiverThatWakesEarlyIsPutToSleepAgainWithBackOff() {
    var station = DialogueStation(.ublox8)
    station.advance(seconds: 60)
    station.send(.request(.asleep(for: nil)))
    station.advance(seconds: 10)
    let writes = station.writes
    for _ in 0..<120 {
      station.module.receive([0], at: station.dialogue.speed, now: station.now)
      station.advance(seconds: 60)
    }
    #expect(station.writes - writes > 0)
    #expect(station.writes - writes < 40)
  }
}
