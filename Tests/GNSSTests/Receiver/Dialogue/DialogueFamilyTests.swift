import Quantities
import Simulation
import Testing

/// Complete dialogues with a virtual module of each family.
@Suite struct DialogueFamilyTests {
  static let models = ModuleModel.allCases.filter { $0 != .sirf && $0 != .plain }

  /// A Quectel module that accepts only PQTM reports that by its name.
  static func named(_ model: ModuleModel) -> (inout ModuleOptions) -> Void {
    { if model == .quectel { $0.faults.versionText = "LG290P03AANR01A03S" } }
  }

  @Test(arguments: models, [4800, 9600, 38_400, 115_200, 921_600] as [UInt32])
  func everyFamilyIsFoundAtEveryBaudRate(_ model: ModuleModel, at speed: UInt32) {
    // Its sentences exceed 4800 bit/s, and the module drops the answers.
    let isDrowned = model == .casic && speed == 4800
    var station = DialogueStation(model) {
      $0.savedSpeed = speed
      Self.named(model)(&$0)
    }
    let isRunning = station.advance(until: .running, seconds: 90)
    #expect(isRunning, "\(station.takeNotices())")
    #expect(station.dialogue.provenSpeed == speed)
    #expect(station.remembered?.identity.family == (isDrowned ? .unknown : model.family))
    #expect(station.remembered?.speed == speed)
  }

  @Test(arguments: models)
  func everyFamilyIsSetToTheTargetBaudRateAndConfigured(_ model: ModuleModel) {
    // One baud rate below the factory value and one above, if they exist.
    for target in [9600, 115_200, 460_800] as [UInt32] where target != model.factorySpeed {
      if target == 460_800, model == .mediaTek || model == .casic { continue }
      var station = DialogueStation(model, target: target, Self.named(model))
      let isRunning = station.advance(until: .running, seconds: 90)
      let notices = station.takeNotices()
      #expect(isRunning && station.dialogue.provenSpeed == target, "\(notices)")
      #expect(station.module.speed == target)
      #expect(notices.contains(.speedChanged(from: model.factorySpeed, to: target)), "\(notices)")
      #expect(notices.contains { if case .configured(_, unanswered: 0) = $0 { true } else { false } })
      station.advance(seconds: 60)
      #expect(station.dialogue.state == .running && station.takeNotices() == [])
      // Generation 6 has no message with a complete solution.
      #expect(model == .ublox6 || station.takeFixes().admitted.count > 50)
      #expect(station.remembered?.speed == target)
    }
  }

  @Test(arguments: models)
  func everyFamilySleepsAndWakes(_ model: ModuleModel) {
    var station = DialogueStation(model, Self.named(model))
    station.advance(seconds: 60)
    _ = station.takeNotices()
    for _ in 0..<3 {
      station.send(.request(.asleep(for: nil)))
      station.advance(seconds: 60)
      #expect(station.dialogue.state == .asleep && station.dialogue.nextTimeout == nil)
      #expect(station.takeNotices() == [.asleep])
      _ = station.takeFixes()
      station.send(.request(.awake))
      station.advance(seconds: 60)
      let notices = station.takeNotices()
      #expect(station.dialogue.state == .running && notices.first == .awake, "\(notices)")
      let fixes = station.takeFixes()
      #expect(model == .ublox6 || fixes.admitted.count > 20)
      #expect(fixes.withheld.count <= 3)
    }
  }
}
