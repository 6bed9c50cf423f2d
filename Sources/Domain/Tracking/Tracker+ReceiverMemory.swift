import Energy
import GNSSProtocol
import Quantities
import Scheduling

extension Tracker {
  /// Creates a schedule with everything known about its receiver.
  mutating func startSchedule(_ policy: TrackingPolicy) {
    let position = positionWithoutReceiver
    schedule = ReceiverSchedule(
      policy, currents: settings.currents, starts: memory.starts, ephemerides: memory.ephemerides,
      hasCyclicMode: memory.hasCyclicMode, knownPosition: position)
  }

  /// Takes over the learned data of the schedule.
  mutating func adoptLearnedData() {
    guard let schedule else { return }
    memory.starts = schedule.starts
    memory.ephemerides = schedule.ephemerides
  }

  mutating func identified(_ family: ReceiverFamily) {
    adoptLearnedData()
    memory.identified(family)
    schedule?.identified(family)
  }

  /// Computes the age of ephemerides read by an earlier run, once the clock is known.
  mutating func recallEphemerides(now: Moment) {
    guard let before = memory.readBefore, let time = clock.timestamp(at: now) else { return }
    memory.readBefore = nil
    let age = time - before
    guard age >= .zero, age < EphemerisAge.hardlyUsable else { return }
    adoptLearnedData()
    let moment = now + (.zero - age)
    memory.ephemerides.recall(lastRead: moment)
    schedule?.recall(ephemeridesReadAt: moment)
  }

  /// UTC of the last reading; nil if there was none or the date is unknown.
  func ephemeridesRead(now: Moment) -> Timestamp? {
    guard let read = (schedule?.ephemerides ?? memory.ephemerides).lastRead else { return memory.readBefore }
    return clock.timestamp(at: now).map { $0 + (read - now) }
  }

  /// True if start times were learned that are not saved yet.
  var hasLearned: Bool { schedule.map { $0.learnedStarts != memory.savedStarts } ?? false }
}
