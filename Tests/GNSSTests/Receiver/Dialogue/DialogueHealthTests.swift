import Quantities
import Simulation
import Testing

/// Regular polls of antenna, jamming and spoofing.
@Suite struct DialogueHealthTests {
  static let ublox: [ModuleModel] = [.ublox6, .ublox7, .ublox8, .ublox9, .ublox10]

  @Test(arguments: ublox)
  func antennaAndJammingArePolledAtALowRate(_ model: ModuleModel) {
    var station = DialogueStation(model)
    let isRunning = station.advance(until: .running, seconds: 60)
    #expect(isRunning)
    station.module.faults.antennaStatus = 4
    station.module.faults.jammingState = 3
    let writes = station.writes
    station.advance(seconds: 7)
    #expect(station.answers.contains(.antenna(.open)))
    #expect(station.answers.contains(.jamming(.critical)))
    #expect(station.writes == writes + 1)
    station.advance(seconds: 3600)
    #expect((writes + 6...writes + 8).contains(station.writes))
    #expect(station.takeNotices().allSatisfy { $0 != .restarted })
  }

  @Test(arguments: ublox)
  func spoofingIsReportedFromGenerationEightOn(_ model: ModuleModel) {
    var station = DialogueStation(model)
    let isRunning = station.advance(until: .running, seconds: 60)
    #expect(isRunning)
    station.module.faults.spoofingState = 2
    station.advance(seconds: 7)
    let reportsSpoofing = ![.ublox6, .ublox7].contains(model)
    #expect(station.answers.contains(.spoofing(.indicated)) == reportsSpoofing)
    #expect(station.answers.contains(.spoofing(.unknown)) == !reportsSpoofing)
  }

  @Test func answersNeedNoWaiting() {
    var station = DialogueStation(.ublox8)
    let isRunning = station.advance(until: .running, seconds: 60)
    #expect(isRunning)
    for _ in 0..<200 {
      station.advance(seconds: 0.1)
      #expect(!station.dialogue.listensClosely && station.dialogue.nextTimeout != nil)
    }
    #expect(station.answers.contains(.antenna(.ok)))
  }

  @Test(arguments: [ModuleModel.mediaTek, .airoha, .quectel, .casic, .plain])
  func familiesThatReportUnaskedAreNotPolled(_ model: ModuleModel) {
    var station = DialogueStation(model, DialogueFamilyTests.named(model))
    station.advance(seconds: 200)
    let writes = station.writes
    station.advance(seconds: 7200)
    #expect(station.writes == writes)
  }

  /// A receiver that wakes every minute is not polled every minute.
  @Test func sleepDoesNotRaiseThePollingRate() {
    var station = DialogueStation(.ublox8)
    station.advance(seconds: 60)
    _ = station.takeLog()
    for _ in 0..<60 {
      station.send(.request(.asleep(for: .seconds(30))))
      station.advance(seconds: 60)
      #expect(station.dialogue.state == .running)
    }
    let polls = station.takeLog().filter { $0.bytes.starts(with: [0xB5, 0x62, 0x01, 0x03]) }
    #expect((4...7).contains(polls.count))
  }

  @Test func withoutControlNothingIsPolled() {
    var station = DialogueStation(.ublox8, control: .none)
    station.advance(seconds: 3600)
    #expect(station.writes == 0)
  }

  /// A 32-bit counter of milliseconds overflows after 49 days.
  @Test func anUptimeOverflowIsNoRestart() {
    var station = DialogueStation(.ublox8)
    station.advance(seconds: 20)
    _ = station.takeNotices()
    station.send(.answer(.sinceStart(timeToFirstFix: 1, uptime: .max - 1000)))
    station.send(.answer(.sinceStart(timeToFirstFix: 1, uptime: 599_000)))
    #expect(station.takeNotices() == [])
    station.send(.answer(.sinceStart(timeToFirstFix: 1, uptime: 9000)))
    #expect(station.takeNotices() == [.restarted])
  }
}
