import Quantities
import Simulation
import Testing
import GNSSProtocol
import GNSSReceiver

/// Satellites in view, polled while there is no fix.
@Suite struct DialogueSatelliteTests {
  /// The virtual modules of generations 6 and 7 do not support NAV-SVINFO.
  static let models = DialogueFamilyTests.models.filter { $0 != .ublox6 && $0 != .ublox7 }

  static let withoutQuestion =
    models.filter { $0.family != .ubloxMessages && $0.family != .ubloxKeys } + [.sirf]

  static func searching(
    _ model: ModuleModel, control: ReceiverControl = .full,
    setUp: SetUp? = DialogueStation.setUp
  ) -> DialogueStation {
    var station = DialogueStation(model, control: control, setUp: setUp) {
      $0.starts.cold = .seconds(300)
      $0.firstStart = .cold
      DialogueFamilyTests.named(model)(&$0)
    }
    // A SiRF receiver is off until its pin is pulsed.
    if model == .sirf { station.module.pulseWakePin(now: station.now) }
    let isRunning = station.advance(until: .running, seconds: 90)
    #expect(isRunning)
    station.advance(seconds: 15)
    _ = station.takeSignals()
    return station
  }

  @Test(arguments: models)
  func satellitesArePolledDuringAcquisitionUntilTheRequestEnds(_ model: ModuleModel) {
    var station = Self.searching(model)
    station.advance(seconds: 20)
    #expect(station.takeSignals().isEmpty, "it is configured not to report satellites")
    station.send(.request(.satellites(true)))
    station.advance(seconds: 2.5)
    #expect(station.takeSignals().isEmpty, "a hot start needs no poll")
    station.advance(seconds: 30)
    let signals = station.takeSignals()
    // Virtual modules with sentences report no satellite before their fix.
    let isUblox = model.family == .ubloxMessages || model.family == .ubloxKeys
    #expect(signals.count >= 5 && signals.max() == (isUblox ? 46 : 0), "\(signals)")
    station.send(.request(.satellites(false)))
    station.advance(seconds: 5)
    _ = station.takeSignals()
    let writes = station.writes
    station.advance(seconds: 60)
    #expect(station.takeSignals().isEmpty && station.writes <= writes + 1)
    #expect(station.dialogue.state == .running)
  }

  @Test func aSingleRequestGetsOneAnswer() {
    var station = Self.searching(.ublox10)
    station.advance(seconds: 20)
    _ = station.takeSignals()
    let writes = station.writes
    station.send(.request(.satellitesOnce))
    station.advance(seconds: 3)
    #expect(station.takeSignals() == [46] && station.writes == writes + 1)
    station.advance(seconds: 60)
    #expect(station.takeSignals().isEmpty && station.writes == writes + 1, "it is not polled again")
  }

  /// A receiver without a poll reports its satellites until they have arrived.
  @Test(arguments: withoutQuestion)
  func aReceiverWithoutAPollReportsSatellitesUntilTheyArrive(_ model: ModuleModel) {
    var station = Self.searching(model)
    #expect(station.dialogue.satelliteObstacle == nil)
    let writes = station.writes
    station.send(.request(.satellitesOnce))
    station.advance(seconds: 5)
    #expect(!station.takeSignals().isEmpty && station.writes > writes)
    station.send(.request(.satelliteRequestEnded))
    station.advance(seconds: 5)
    _ = station.takeSignals()
    let after = station.writes
    station.advance(seconds: 60)
    #expect(station.takeSignals().isEmpty && station.writes == after, "it continues as before")
    #expect(station.dialogue.state == .running)
  }

  @Test func aReceiverThatCannotBePolledGivesTheReason() {
    #expect(Self.searching(.ublox10, control: .none).dialogue.satelliteObstacle == .notAllowed)
    #expect(Self.searching(.ublox10).dialogue.satelliteObstacle == nil)
    var plain = DialogueStation(.plain, control: .full, setUp: DialogueStation.setUp) { _ in }
    let isRunning = plain.advance(until: .running, seconds: 300)
    #expect(isRunning)
    #expect(plain.dialogue.satelliteObstacle == .noCommand)
    var asleep = Self.searching(.ublox8)
    asleep.send(.request(.asleep(for: nil)))
    asleep.advance(seconds: 60)
    #expect(asleep.dialogue.satelliteObstacle == .notRunning)
  }

  @Test func aReceiverWithoutControlIsNeverPolled() {
    var station = Self.searching(.ublox10, control: .none)
    let writes = station.writes
    station.send(.request(.satellitesOnce))
    station.advance(seconds: 10)
    #expect(station.writes == writes)
  }

  @Test func generationsBefore8ArePolledWithTheirOwnMessage() {
    let old = UBloxMessagesDialect(identity: ReceiverIdentity(family: .ubloxMessages, protocolVersion: 1400))
    #expect(old.askSatellites().map(\.name) == ["NAV-SVINFO"])
    #expect(old.askSatellites().map(\.bytes) == [[0xB5, 0x62, 0x01, 0x30, 0, 0, 0x31, 0x94]])
  }

  @Test(arguments: models)
  func pollingContinuesAfterASleep(_ model: ModuleModel) {
    var station = Self.searching(model)
    station.send(.request(.satellites(true)))
    station.advance(seconds: 15)
    _ = station.takeSignals()
    station.send(.request(.satellites(false)))
    station.send(.request(.asleep(for: nil)))
    station.advance(seconds: 60)
    #expect(station.dialogue.state == .asleep)
    station.send(.request(.satellites(true)))
    station.send(.request(.awake))
    station.module.setReception(false, now: station.now)
    station.advance(seconds: 30)
    #expect(!station.takeSignals().isEmpty)
  }

  @Test func aReceiverThatReportsSatellitesIsNotPolled() {
    var station = Self.searching(.ublox10, setUp: SetUp(satellitesEvery: 5))
    let writes = station.writes
    station.send(.request(.satellites(true)))
    station.advance(seconds: 30)
    #expect(station.writes == writes && station.takeSignals().count > 4)
  }

  @Test func withoutControlNothingIsPolled() {
    var station = Self.searching(.ublox8, control: .none)
    station.send(.request(.satellites(true)))
    station.advance(seconds: 600)
    #expect(station.writes == 0)
  }

  /// A receiver without answers is polled, but nothing waits for it.
  @Test func aReceiverThatDoesNotAnswerIsNoFault() {
    for model in Self.models {
      var station = Self.searching(model)
      station.module.faults.ignoresCommands = true
      station.send(.request(.satellites(true)))
      station.advance(seconds: 30)
      #expect(station.dialogue.state == .running && station.takeNotices().allSatisfy { $0 != .fellSilent })
      #expect(!station.dialogue.listensClosely)
    }
  }
}
