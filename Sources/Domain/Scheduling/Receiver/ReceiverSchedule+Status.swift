import Energy
import Quantities

/// What the schedule knows about the receiver and the device. Nothing here changes it.
extension ReceiverSchedule {
  /// The state that the receiver should be in.
  public var state: ReceiverState { activity.state }

  /// The cause of the receiver's sleep; nil while it is awake, and between two fixes while moving.
  public var sleepCause: SleepCause? { phase.sleepCause(searchesForTime: searchesForTime) }

  /// True during the back-off after a search without reception.
  package func lacksReception(now: Moment) -> Bool {
    if case .asleep(.withoutReception, _) = phase { true } else { requests.isBackingOff(now: now) }
  }

  /// True if a hint would cause a position check now.
  package func mayCheckPosition(now: Moment) -> Bool {
    isAsleepWhileStationary && stop.mayCheckForHint(now: now)
  }

  var phase: ReceiverSchedulePhase { activity.phase }
  /// True if the receiver should provide no fixes.
  package var isAsleep: Bool { phase.isAsleep }
  /// True if the receiver sleeps because the device is stationary.
  package var isAsleepWhileStationary: Bool { phase.isAsleepWhileStationary }
  /// True if there is no fix yet, or one that still improves.
  package var isAcquiring: Bool { phase.isAcquiring }
  /// What is learned about the receiver.
  package var model: ReceiverModel { activity.model }
  /// Learned durations of the receiver's starts.
  package var starts: StartCost { activity.model.starts }
  /// Number of starts that this schedule has learned from.
  package var learnedStarts: Int { activity.model.learnedStarts }
  /// Age and availability of the receiver's ephemerides.
  package var ephemerides: EphemerisAge { activity.model.ephemerides }
  /// True if the receiver reports signal strength.
  package var reportsSignal: Bool { activity.reportsSignal }
  /// The receiver's currents, by which states are compared.
  package var currents: ReceiverCurrents { activity.currents }
  /// True if a sensor detects motion while the receiver sleeps.
  package var hasMotionSensor: Bool { motion.hasMotionSensor }
  package var isMoving: Bool { motion.isMoving }
  /// True from a recorded departure to the next recorded arrival.
  package var isTravelling: Bool { motion.isTravelling }
  /// Start of the motion whose departure is not confirmed yet.
  package var motionBegan: Moment? { motion.motionBegan }
  /// Start of the stationary period; nil after a departure.
  package var stationarySince: Moment? { stop.since }
  /// True if the last record is the present stationary position.
  package var isStopPositionKnown: Bool { stop.isPositionRecorded }
  /// The location of a stationary device, known without the receiver.
  package var knownPosition: Coordinate? { stop.knownPosition }
  /// The last recorded position.
  package var lastKept: ScheduleFix? { track.lastKept }
  package var lastFix: ScheduleFix? { track.lastFix }
  package var isPositionRequested: Bool { requests.isPositionRequested }
  /// True while only the time is required.
  package var searchesForTime: Bool { requests.isTimeRequested }
}
