import GNSS
import Quantities

/// What was learned of a receiver and outlives a plan and a start of the program.
struct ReceiverMemory: Equatable, Sendable {
  var starts = StartCost(family: .unknown)
  var ephemerides = EphemerisAge(hasBackupSupply: true)
  /// It is there, and can be told to track in cyclic mode.
  var hasCyclicMode = false
  /// When the ephemerides were last read before this start of the program, until the clock says how long ago that is.
  var readBefore: Timestamp?

  /// The receiver has said what it is: of another family other starts are to be expected.
  mutating func identified(_ family: ReceiverFamily) {
    guard family != .unknown, family != starts.family else { return }
    starts = StartCost(family: family)
  }
}

extension Tracker {
  /// Begins a plan with all that is known of its receiver.
  mutating func beginPlan(_ scheme: ReceiverScheme) {
    let place = placeWithoutReceiver
    plan = ReceiverPlan(
      scheme, currents: settings.currents, starts: memory.starts, ephemerides: memory.ephemerides)
    plan?.hasCyclicMode = memory.hasCyclicMode
    plan?.knownPlace = place
  }

  /// Keeps what the plan has learned beyond its end.
  mutating func noteLearned() {
    guard let plan else { return }
    memory.starts = plan.starts
    memory.ephemerides = plan.ephemerides
  }

  mutating func identified(_ family: ReceiverFamily) {
    noteLearned()
    memory.identified(family)
    plan?.starts = memory.starts
  }

  /// Once the clock is known, so is the age of ephemerides that were read before this start.
  mutating func recallEphemerides(now: Moment) {
    guard let before = memory.readBefore, let time = clock.timestamp(at: now) else { return }
    memory.readBefore = nil
    let age = time - before
    guard age >= .zero, age < EphemerisAge.hardlyUsable else { return }
    noteLearned()
    memory.ephemerides.recall(lastRead: now + (.zero - age))
    plan?.ephemerides = memory.ephemerides
  }

  /// UTC of the last reading; nil where there was none or the date is not known.
  func ephemeridesRead(now: Moment) -> Timestamp? {
    guard let read = (plan?.ephemerides ?? memory.ephemerides).lastRead else { return memory.readBefore }
    return clock.timestamp(at: now).map { $0 + (read - now) }
  }

  /// Starts that were learned and not kept yet.
  var hasLearned: Bool { plan.map { $0.learnedStarts != savedStarts } ?? false }
}
