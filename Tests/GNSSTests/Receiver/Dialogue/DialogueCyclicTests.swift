import Quantities
import Simulation
import Testing
import GNSSReceiver

/// Cyclic tracking on and off in a running receiver.
@Suite struct DialogueCyclicTests {
  static let ublox: [ModuleModel] = [.ublox7, .ublox8, .ublox9, .ublox10]
  static let cyclic = SetUp.Power.cyclic(seconds: 1)

  static func running(
    _ model: ModuleModel, setUp: SetUp = DialogueStation.setUp, hasSpeed: Bool = true
  ) -> DialogueStation {
    var station = DialogueStation(model, setUp: setUp, hasSpeed: hasSpeed, DialogueFamilyTests.named(model))
    let isRunning = station.advance(until: .running, seconds: 90)
    #expect(isRunning)
    station.advance(seconds: 30)
    _ = (station.takeNotices(), station.takeLog(), station.takeFixes())
    return station
  }

  /// The messages and keys of power save mode, in the order of transmission.
  private static func orders(_ log: [(moment: Moment, bytes: [UInt8])]) -> [String] {
    log.compactMap { _, bytes in
      let bytes = bytes.drop { $0 == 0xFF }
      let woken = bytes.startIndex > 0 ? "FF " : ""
      guard bytes.count > 8 else { return nil }
      let body = Array(bytes)
      switch (body[2], body[3]) {
      case (0x06, 0x86): return woken + (body[7] == 0 ? "PMS full" : "PMS saving")
      case (0x06, 0x3B): return woken + "PM2"
      case (0x06, 0x11): return woken + (body[7] == 0 ? "RXM full" : "RXM saving")
      case (0x06, 0x8A):
        let layers = body[7] == 1 ? "" : " kept"
        return woken + (body.dropLast(2).last == 0 ? "VALSET full" : "VALSET saving") + layers
      case (0x02, 0x41): return woken + "PMREQ"
      case _: return nil
      }
    }
  }

  static let commands: [ModuleModel: (into: [String], back: [String])] = [
    .ublox7: (["PM2", "RXM saving"], ["FF RXM full"]), .ublox8: (["PMS saving"], ["FF PMS full"]),
    .ublox9: (["VALSET saving"], ["FF VALSET full"]), .ublox10: (["VALSET saving"], ["FF VALSET full"]),
  ]

  @Test(arguments: ublox)
  func cyclicTrackingIsSwitchedOnAndOffAndEpochsContinue(_ model: ModuleModel) throws {
    var station = Self.running(model)
    let commands = try #require(Self.commands[model])
    #expect(station.dialogue.offersCyclicMode && !station.dialogue.isInCyclicMode)
    station.send(.request(.power(Self.cyclic)))
    station.advance(seconds: 3)
    #expect(station.dialogue.isInCyclicMode && !station.dialogue.listensClosely)
    #expect(Self.orders(station.takeLog()) == commands.into)
    station.advance(seconds: 30)
    #expect(station.takeFixes().admitted.count > 28 && station.takeNotices().isEmpty)
    station.send(.request(.power(.continuous)))
    station.advance(seconds: 3)
    #expect(!station.dialogue.isInCyclicMode)
    #expect(Self.orders(station.takeLog()) == commands.back)
    station.advance(seconds: 60)
    #expect(Self.orders(station.takeLog()).isEmpty && station.dialogue.state == .running)
  }

  @Test(arguments: [ModuleModel.mediaTek, .airoha, .quectel, .casic])
  func familiesWithoutCyclicTrackingAt1HzGetNoCommands(_ model: ModuleModel) {
    var station = Self.running(model)
    let writes = station.writes
    station.send(.request(.power(Self.cyclic)))
    station.advance(seconds: 60)
    #expect(!station.dialogue.offersCyclicMode && station.writes == writes)
  }

  @Test func cyclicTrackingIsNotOfferedOnUSBOrAbove1Hz() {
    #expect(!Self.running(.ublox10, hasSpeed: false).dialogue.offersCyclicMode)
    #expect(!Self.running(.ublox10, setUp: SetUp(interval: 200)).dialogue.offersCyclicMode)
  }

  @Test(arguments: [ModuleModel.ublox8, .ublox10], [true, false])
  func rejectedOrUnansweredCyclicTrackingIsReportedAndEnded(_ model: ModuleModel, isRefused: Bool) {
    var station = Self.running(model)
    if isRefused {
      station.module.faults.refusesAll = true
    } else {
      station.module.faults.ignoresCommands = true
    }
    station.send(.request(.power(Self.cyclic)))
    station.advance(seconds: 30)
    let command = model == .ublox8 ? "CFG-PMS" : "CFG-VALSET"
    #expect(station.takeNotices() == [.cyclicModeFailed(command: command)])
    #expect(!station.dialogue.offersCyclicMode && station.dialogue.state == .running)
    let orders = Self.orders(station.takeLog())
    #expect(orders.last?.hasSuffix("full") == true, "the receiver may have accepted some of the commands")
    // The receiver accepts commands again: it gets continuous mode, and nothing else.
    (station.module.faults.refusesAll, station.module.faults.ignoresCommands) = (false, false)
    station.advance(seconds: 60)
    #expect(!station.dialogue.isInCyclicMode)
    _ = station.takeLog()
    station.send(.request(.power(.continuous)))
    station.send(.request(.power(Self.cyclic)))
    station.advance(seconds: 600)
    #expect(Self.orders(station.takeLog()).isEmpty)
  }

  @Test(arguments: ublox)
  func continuousModeComesBeforeASleepAndAfterEveryWakeUp(_ model: ModuleModel) throws {
    var station = Self.running(model)
    station.send(.request(.power(Self.cyclic)))
    station.advance(seconds: 3)
    _ = station.takeLog()
    station.send(.request(.power(.continuous)))
    station.send(.request(.asleep(for: nil)))
    station.advance(seconds: 30)
    #expect(station.dialogue.state == .asleep && station.module.isAsleep)
    let commands = try #require(Self.commands[model])
    #expect(Self.orders(station.takeLog()) == commands.back + ["PMREQ"])
    station.send(.request(.awake))
    station.advance(seconds: 30)
    #expect(station.dialogue.state == .running && !station.dialogue.isInCyclicMode)
    #expect(station.dialogue.offersCyclicMode)
  }

  @Test func aRestartedReceiverIsConfiguredAndReturnsToCyclicTracking() {
    var station = Self.running(.ublox10)
    station.send(.request(.power(Self.cyclic)))
    station.advance(seconds: 3)
    station.send(.answer(.started))
    #expect(!station.dialogue.isInCyclicMode)
    _ = station.takeLog()
    station.advance(seconds: 40)
    let orders = Self.orders(station.takeLog())
    #expect(station.dialogue.isInCyclicMode && orders.contains("VALSET full kept"), "\(orders)")
    #expect(orders.last == "VALSET saving")
  }

  @Test func aReceiverThatFallsSilentInCyclicTrackingIsWokenAndStaysContinuous() {
    var station = Self.running(.ublox10)
    station.send(.request(.power(Self.cyclic)))
    station.advance(seconds: 3)
    station.module.faults.mute = station.now..<(station.now + .seconds(40))
    station.advance(seconds: 120)
    #expect(station.takeNotices().contains(.cyclicModeFailed(command: nil)))
    #expect(station.dialogue.state == .running)
    #expect(!station.dialogue.isInCyclicMode && !station.dialogue.offersCyclicMode)
  }
}
