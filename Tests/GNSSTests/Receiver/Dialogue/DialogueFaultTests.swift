import Quantities
import Simulation
import Testing
import GNSSProtocol
import GNSSReceiver

/// Receivers with a fault, each simulated by a virtual module.
@Suite struct DialogueFaultTests {
  @Test func aSilentReceiverIsReportedOnceAndPolledWithBackOff() {
    var station = DialogueStation(.ublox8) {
      $0.faults.ignoresCommands = true
      $0.faults.mute = .zero..<Moment(nanoseconds: .max)
    }
    station.advance(seconds: 4 * 3600)
    #expect(station.takeNotices() == [.mute(hasSpeed: true)])
    let writes = station.writes
    station.advance(seconds: 3600)
    #expect(station.writes - writes <= 3 * 9 * 8)
    #expect(station.dialogue.state == .finding)
  }

  @Test func silentAndUnreadableReceiversOnUSBAreDistinguished() {
    var mute = DialogueStation(.ublox10, hasSpeed: false) {
      $0.faults.ignoresCommands = true
      $0.faults.mute = .zero..<Moment(nanoseconds: .max)
    }
    mute.advance(seconds: 60)
    #expect(mute.takeNotices() == [.mute(hasSpeed: false)])
    var talking = DialogueStation(.ublox10, target: 115_200, hasSpeed: false)
    talking.advance(seconds: 60)
    #expect(talking.dialogue.state == .running)
    #expect(talking.takeNotices().first == .found(speed: nil))
    #expect(talking.speeds.isEmpty && mute.speeds.isEmpty)
  }

  @Test func aReceiverIsRestartedOnRequestAndConfiguredAgain() {
    var station = DialogueStation(.ublox8)
    station.send(.request(.restarted(.warm)))
    #expect(station.writes == 0)
    station.advance(seconds: 60)
    #expect(station.module.hasFix)
    _ = station.takeNotices()
    station.send(.request(.restarted(.warm)))
    #expect(station.writes > 0)
    station.advance(seconds: 2)
    #expect(!station.module.hasFix)
    station.advance(seconds: 60)
    #expect(station.takeNotices() == [.configured(refused: 0, unanswered: 0)])
    #expect(station.module.hasFix)
    var listening = DialogueStation(.ublox8, control: .none)
    listening.advance(seconds: 60)
    listening.send(.request(.restarted(.cold)))
    #expect(listening.writes == 0)
  }

  @Test(arguments: ReceiverControl.allCases)
  func aRunningReceiverIsSearchedAgainOnRequest(_ control: ReceiverControl) {
    var station = DialogueStation(.ublox8, control: control)
    station.advance(seconds: 60)
    #expect(station.dialogue.state == .running)
    _ = station.takeNotices()
    station.send(.request(.foundAgain))
    #expect(station.dialogue.state == .finding)
    station.advance(seconds: 60)
    #expect(station.dialogue.state == .running)
    #expect(station.takeNotices().first == .found(speed: 9600))
  }

  @Test func aReceiverWithoutAnswersIsOnlyRead() {
    var station = DialogueStation(.plain)
    station.advance(seconds: 60)
    #expect(station.takeNotices() == [.found(speed: 9600), .notIdentified])
    station.advance(seconds: 120)
    let writes = station.writes
    station.advance(seconds: 3600)
    #expect(station.writes == writes)
    #expect(station.dialogue.state == .running)
    station.send(.request(.asleep(for: nil)))
    #expect(station.takeNotices() == [.doesNotSleep(.noCommand)])
  }

  /// Put to sleep by another program before the logger started.
  @Test(arguments: [
    (ModuleModel.ublox8, UBXFrame.bytes(class: 0x02, id: 0x41, payload: [0, 0, 0, 0, 2, 0, 0, 0])),
    (.mediaTek, CommandSentence.bytes("PMTK161,0")),
  ])
  func aReceiverThatIsAsleepAtTheStartIsWoken(_ model: ModuleModel, command: [UInt8]) {
    var options = ModuleOptions()
    options.savedSpeed = 38_400
    var module = ReceiverModule(model, options: options)
    _ = module.transmit(until: .zero + .seconds(5), to: 38_400)
    module.receive(command, at: 38_400, now: .zero + .seconds(5))
    _ = module.transmit(until: .zero + .seconds(20), to: 38_400)
    #expect(module.isAsleep)
    var station = DialogueStation(module, DialogueSettings(control: .full, setUp: DialogueStation.setUp))
    let isRunning = station.advance(until: .running, seconds: 90)
    #expect(isRunning, "\(station.takeNotices())")
    #expect(station.dialogue.provenSpeed == 38_400)
  }

  @Test(arguments: [ModuleModel.ublox8, .ublox10, .mediaTek, .casic])
  func aFailedBaudRateChangeKeepsTheOldBaudRate(_ model: ModuleModel) {
    var station = DialogueStation(model, target: 115_200) { $0.faults.lies = true }
    let isRunning = station.advance(until: .running, seconds: 90)
    let notices = station.takeNotices()
    #expect(isRunning && notices.contains(.speedChangeFailed(target: 115_200, speed: 9600)), "\(notices)")
    #expect(station.dialogue.provenSpeed == 9600)
    station.send(.request(.asleep(for: nil)))
    station.advance(seconds: 60)
    #expect(station.takeNotices() == [.doesNotSleep(.keepsTalking)])
    #expect(station.dialogue.state == .running)
    let writes = station.writes
    station.advance(seconds: 3600)
    #expect(station.writes == writes)
  }

  @Test(arguments: [ModuleModel.ublox8, .ublox10, .mediaTek, .airoha])
  func aReceiverThatRejectsEverythingIsUsedAsItIs(_ model: ModuleModel) {
    var station = DialogueStation(model) { $0.faults.refusesAll = true }
    let isRunning = station.advance(until: .running, seconds: 90)
    let notices = station.takeNotices()
    #expect(isRunning)
    #expect(notices.contains { if case .refused = $0 { true } else { false } }, "\(notices)")
    #expect(notices.contains { if case .configured(let refused, _) = $0 { refused > 0 } else { false } })
    station.advance(seconds: 600)
    #expect(station.takeNotices() == [])
  }

  @Test(arguments: 0..<8 as Range<UInt64>)
  func commandsWithLostRepliesAreRepeated(seed: UInt64) {
    var station = DialogueStation(.ublox10, target: 115_200) {
      $0.seed = seed
      $0.faults.lostAnswers = 0.3
    }
    let isRunning = station.advance(until: .running, seconds: 120)
    #expect(isRunning, "seed \(seed): \(station.takeNotices())")
    #expect(station.dialogue.speed == station.module.speed)
  }

  @Test(arguments: [ModuleModel.ublox8, .ublox10, .mediaTek])
  func aReceiverThatLostItsSettingsIsConfiguredAgain(_ model: ModuleModel) {
    var station = DialogueStation(model, target: 115_200) { $0.faults.restartsAt = .zero + .seconds(100) }
    station.advance(seconds: 90)
    #expect(station.dialogue.provenSpeed == 115_200)
    _ = station.takeNotices()
    station.advance(seconds: 110)
    let notices = station.takeNotices()
    #expect(station.dialogue.state == .running)
    #expect(station.dialogue.provenSpeed == 115_200, "\(notices)")
    #expect(station.module.speed == 115_200)
    #expect(notices.contains { if case .configured = $0 { true } else { false } }, "\(notices)")
  }

  @Test func anUnrequestedChangeOfBaudRateIsFollowed() {
    var station = DialogueStation(.casic, setUp: nil) {
      $0.faults.speedChange = .init(at: .zero + .seconds(60), speed: 57_600)
    }
    station.advance(seconds: 55)
    #expect(station.dialogue.provenSpeed == 9600)
    station.advance(seconds: 90)
    #expect(station.dialogue.provenSpeed == 57_600, "\(station.takeNotices())")
  }

  @Test func aKnownReceiverIsNotIdentifiedAgain() {
    var first = DialogueStation(.ublox10, target: 115_200)
    first.advance(seconds: 60)
    let known = first.remembered
    var second = DialogueStation(.ublox10, target: 115_200, known: known) { $0.savedSpeed = 115_200 }
    let isRunning = second.advance(until: .running, seconds: 8)
    #expect(isRunning, "\(second.takeNotices())")
    #expect(!String(decoding: second.written, as: UTF8.self).contains("PMTK605"))
    let queries = second.written.indices.filter {
      second.written[$0...].starts(with: [0xB5, 0x62, 0x0A, 0x04])
    }
    #expect(queries.isEmpty)
    #expect(second.dialogue.receiver?.family == .ubloxKeys)
  }

  @Test(arguments: [
    (ModuleModel.mediaTek, ReceiverFamily.ubloxKeys), (.ublox8, .mediaTek), (.ublox10, .casic),
    (.casic, .mediaTek), (.casic, .ubloxMessages), (.ublox8, .ubloxKeys), (.ublox10, .ubloxMessages),
  ])
  func anotherReceiverOnTheSamePortIsDetected(_ model: ModuleModel, known: ReceiverFamily) {
    var station = DialogueStation(
      model, known: KnownReceiver(speed: 9600, identity: ReceiverIdentity(family: known), interval: 1000))
    station.advance(seconds: 90)
    #expect(station.remembered?.identity.family == model.family, "\(station.takeNotices())")
    #expect(station.dialogue.state == .running)
  }

  @Test func anUnchangedConfigurationIsNotSent() {
    var station = DialogueStation(.ublox10)
    station.advance(seconds: 30)
    let writes = station.writes
    station.send(.request(.setUp(DialogueStation.setUp)))
    station.advance(seconds: 30)
    #expect(station.writes == writes)
    station.send(.request(.setUp(SetUp(interval: 200, dynamics: .automotive))))
    station.advance(seconds: 30)
    #expect(station.writes > writes)
    #expect(station.dialogue.state == .running)
  }
}
