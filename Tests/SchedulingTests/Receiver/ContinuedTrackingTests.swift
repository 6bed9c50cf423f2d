import GNSSProtocol
import Quantities
import Testing
import Scheduling

/// A start of the host on a moving device whose receiver has stored its epochs.
@Suite struct ContinuedTrackingTests {
  private static let now = Moment.zero + .seconds(20)

  private static func schedule(_ tracking: SavedTracking) -> (ReceiverSchedule, [ReceiverScheduleAction]) {
    var schedule = ReceiverSchedule(
      .highInCyclicMode, currents: .neoM8N, model: ReceiverModel(hasBackupSupply: true))
    let actions = schedule.handle(.continued(tracking, after: .seconds(270)), now: now)
    return (schedule, actions)
  }

  /// A stored epoch `age` seconds before the start; the device is at `north` metres.
  private static func fix(_ age: Int, north: Double, speed: Double) -> (fix: Fix, moment: Moment) {
    var fix = Fix()
    fix.kind = .threeDimensional
    fix.isStored = true
    fix.timestamp = Timestamp(milliseconds: 1_795_862_400_000 - Int64(age) * 1000)
    (fix.latitude, fix.longitude) = (52.5 + north / 111_320, 13.4)
    (fix.speed, fix.course) = (speed, 0)
    (fix.horizontalAccuracy, fix.speedAccuracy) = (3, 0.1)
    return (fix, now - .seconds(age))
  }

  @Test(arguments: [true, false])
  func everyStoredEpochIsRecordedAlsoThoseBeforeTheSleepWasSaved(isCyclic: Bool) {
    var (schedule, actions) = Self.schedule(SavedTracking(isCyclic: isCyclic, hasMotionSensor: true))
    #expect(actions == [.receiver(isCyclic ? .cyclic : .tracking, until: nil)])
    var kept = 0
    for age in (1...290).reversed() {
      let (fix, moment) = Self.fix(age, north: Double(290 - age) * 14, speed: 14)
      actions = schedule.handle(.epoch(fix), now: moment)
      kept += actions.count { if case .keep = $0 { true } else { false } }
    }
    #expect(kept == 290 && schedule.savedTracking != nil)
  }

  /// Without a motion sensor, the receiver would check the position after three minutes.
  @Test(arguments: [true, false])
  func aStopAmongTheStoredEpochsEndsTheLegAndTheSensorCountsBeforeItReports(hasMotionSensor: Bool) {
    let tracking = SavedTracking(isCyclic: true, hasMotionSensor: hasMotionSensor)
    var (schedule, actions) = Self.schedule(tracking)
    for age in (1...290).reversed() {
      let moved = min(Double(290 - age), 100) * 14
      let (fix, moment) = Self.fix(age, north: moved, speed: age > 190 ? 14 : 0)
      actions += schedule.handle(.epoch(fix), now: moment)
    }
    #expect(actions.contains(.keep(.arrival)))
    #expect(schedule.savedTracking == nil && schedule.state != .cyclic)
    #expect(schedule.hasMotionSensor == hasMotionSensor)
  }

  @Test func theSavedFormSurvives() {
    for isCyclic in [true, false] {
      for hasMotionSensor in [true, false] {
        let tracking = SavedTracking(isCyclic: isCyclic, hasMotionSensor: hasMotionSensor)
        #expect(SavedTracking(words: tracking.words) == tracking)
      }
    }
    #expect(SavedTracking(words: ["asleep", "-"]) == nil && SavedTracking(words: ["cyclic"]) == nil)
  }
}
