import Quantities
import Records
import Scheduling

/// The motion of the device by all its sources: sensors, the supply, and the fixes where there is no sensor.
public struct DeviceMotion: Sendable {
  /// The reports of the motion sensors besides the receiver.
  public private(set) var evidence = SensedMotion()
  /// Detects motion by the supply.
  private var supply: SupplyMotion
  /// Detects motion by fixes.
  private var byFixes = FixMotionWatch()

  init(_ rules: SupplyRules) { supply = SupplyMotion(rules: rules) }

  /// A change of the motion by fixes that is logged; without an event only the state to save changes.
  struct Report {
    var event: EventRecord?
  }

  // MARK: Sensors

  mutating func set(_ states: MotionStates, now: Moment) { evidence.set(motion: states, now: now) }

  /// A source reports motion or rest; nil if it is lost.
  mutating func set(_ source: MotionSource, isActive: Bool?, now: Moment) {
    evidence.set(source, isActive: isActive)
    if isActive != nil { supply.confirm(now: now) }
  }

  mutating func set(ignition: Bool?, now: Moment) {
    evidence.set(ignition: ignition, now: now)
    supply.confirm(now: now)
  }

  // MARK: The supply

  mutating func take(_ reading: SupplyReading?, now: Moment) -> [SupplyMotion.Change] {
    supply.take(reading, now: now)
  }

  mutating func adopt(_ rules: SupplyRules, now: Moment) -> [SupplyMotion.Change] {
    rules == supply.rules ? [] : supply.adopt(rules, now: now)
  }

  /// Applies changes of the supply to the evidence.
  mutating func apply(_ changes: [SupplyMotion.Change], now: Moment) {
    evidence.set(supplyMoving: supply.isMoving, now: now)
    for change in changes { evidence.set(change.source, isActive: change.isActive) }
  }

  var nextTimeout: Moment? { supply.nextTimeout }

  mutating func handleTimeout(now: Moment) -> [SupplyMotion.Change] {
    guard let due = supply.nextTimeout, now >= due else { return [] }
    // A sensor that reports motion continuously reports no change.
    let moves = evidence.sources[.accelerometer] == true || evidence.sources[.ignition] == true
    if supply.isMoving, moves { supply.confirm(now: now) }
    return supply.handleTimeout(now: now)
  }

  // MARK: Fixes

  /// Processes a fix that passed the filters; a hidden one is not compared with later ones.
  mutating func take(_ observation: Observation, isHidden: Bool, now: Moment) -> FixMotionWatch.Change? {
    guard isHidden else { return byFixes.take(observation, now: now) }
    byFixes.forgetPosition()
    return nil
  }

  /// Confirms the motion that the supply indicates by a moving fix.
  mutating func confirmSupply(by observation: Observation, now: Moment) {
    if supply.isHigh, Odometer.isMoving(observation) { supply.confirm(byFix: true, now: now) }
  }

  /// Applies other evidence that the device is stationary.
  mutating func stopped(now: Moment) -> FixMotionWatch.Change? { byFixes.stop(now: now) }

  /// True if the log contains the beginning of the present motion by fixes.
  var isReported: Bool { byFixes.isReported }

  /// Decides if a change is logged: the beginning if no sensor detects motion better, and not in a privacy zone; the end
  /// if the beginning was. Nil for no change.
  mutating func report(_ change: FixMotionWatch.Change, isHidden: Bool) -> Report? {
    switch change {
    case .began:
      guard evidence.sources[.accelerometer] == nil, evidence.motion.isEmpty, !isHidden else { return nil }
      byFixes.report(true)
      return Report(event: EventRecord(.motionBegan))
    case .ended(let duration):
      guard byFixes.isReported else { return nil }
      byFixes.report(false)
      return Report(event: isHidden ? nil : EventRecord(.motionEnded, [.duration: .seconds(duration)]))
    }
  }

  // MARK: State

  /// Duration of the logged motion by fixes; nil without one.
  func reported(now: Moment) -> Duration? { byFixes.reported(now: now) }

  /// Continues a logged motion of an earlier run.
  mutating func resume(after reported: Duration, now: Moment) { byFixes.resume(after: reported, now: now) }
}
