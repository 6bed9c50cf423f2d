import Quantities
import Simulation
import Testing

@testable import GNSS

/// Whole dialogues with a virtual module of each family.
@Suite struct DialogueFamilyTests {
  static let models = ModuleModel.allCases.filter { $0 != .sirf && $0 != .plain }

  @Test(arguments: models, [4800, 9600, 38_400, 115_200, 921_600] as [UInt32])
  func eachFamilyIsFoundAtEachSpeed(_ model: ModuleModel, at speed: UInt32) {
    var station = DialogueStation(model) { $0.savedSpeed = speed }
    let isRunning = station.advance(until: .running, seconds: 90)
    #expect(isRunning, "\(station.takeNotices())")
    #expect(station.dialogue.provenSpeed == speed)
    #expect(station.remembered?.identity.family == model.family)
    #expect(station.remembered?.speed == speed)
  }

  @Test(arguments: models)
  func eachFamilyIsBroughtToTheTargetSpeedAndSetUp(_ model: ModuleModel) {
    var station = DialogueStation(model, target: model.factorySpeed == 115_200 ? 38_400 : 115_200)
    let isRunning = station.advance(until: .running, seconds: 90)
    let notices = station.takeNotices()
    #expect(isRunning, "\(notices)")
    #expect(station.module.speed == station.dialogue.speed)
    print(model, notices, station.now)
    station.advance(seconds: 20)
    print(station.takeNotices(), station.takeFixes().admitted.count)
    #expect(station.dialogue.state == .running)
  }

  @Test(arguments: models)
  func eachFamilySleepsAndWakes(_ model: ModuleModel) {
    var station = DialogueStation(model)
    station.advance(seconds: 60)
    print(model, station.takeNotices())
    station.send(.want(.asleep(for: nil)))
    station.advance(seconds: 60)
    print(
      station.dialogue.state, station.module.isAsleep, station.dialogue.nextTimeout as Any,
      station.takeNotices())
    station.send(.want(.awake))
    station.advance(seconds: 60)
    print(station.dialogue.state, station.takeNotices())
    let fixes = station.takeFixes()
    print(fixes.admitted.count, fixes.withheld.count)
  }
}
