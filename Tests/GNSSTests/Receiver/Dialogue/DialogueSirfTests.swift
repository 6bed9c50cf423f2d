import Quantities
import Testing

/// A SiRF receiver, which answers no command and sleeps only if a pin can wake it.
@Suite struct DialogueSirfTests {
  static func station(hasEnableLine: Bool = false, target: UInt32? = nil) -> DialogueStation {
    var station = DialogueStation(.sirf, target: target, hasEnableLine: hasEnableLine)
    station.module.pulseWakePin(now: station.now)
    return station
  }

  @Test(arguments: [nil, 9600, 57_600] as [UInt32?])
  func sirfIsFoundIdentifiedAndConfigured(target: UInt32?) {
    var station = Self.station(target: target)
    let isRunning = station.advance(until: .running, seconds: 90)
    #expect(isRunning)
    #expect(station.dialogue.receiver?.family == .sirf)
    #expect(station.dialogue.provenSpeed == target ?? 4800)
    #expect(station.module.speed == target ?? 4800)
    let notices = station.takeNotices()
    #expect(notices.last == .configured(refused: 0, unanswered: 0), "\(notices)")
    station.advance(seconds: 60)
    #expect(station.takeFixes().admitted.count > 50)
    #expect(station.dialogue.state == .running && station.takeNotices() == [])
  }

  @Test(arguments: [nil, .seconds(60)] as [Duration?])
  func theNeedOfAPinIsReportedAndTheReceiverKeepsRunning(duration: Duration?) {
    var station = Self.station()
    let isRunning = station.advance(until: .running, seconds: 90)
    #expect(isRunning)
    _ = station.takeNotices()
    station.send(.request(.asleep(for: duration)))
    station.advance(seconds: 30)
    #expect(station.takeNotices() == [.doesNotSleep(.needsPin)])
    #expect(station.dialogue.state == .running && !station.module.isAsleep)
  }
}
