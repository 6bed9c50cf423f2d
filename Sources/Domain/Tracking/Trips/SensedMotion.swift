import Quantities
import Scheduling

/// The state of the motion sensors besides the receiver.
public struct SensedMotion: Equatable, Sendable {
  /// The last report of each source that counts as motion; absent without one.
  public private(set) var sources: [MotionSource: Bool] = [:]
  /// The motion state; empty while undecided or without an accelerometer.
  public private(set) var motion: MotionStates = []
  /// The ignition line; nil without one.
  public private(set) var ignition: Bool?
  /// True if the supply reports motion, by an alternator or a charger.
  public private(set) var isSupplyMoving = false
  /// Start of the reported motion; nil while all sensors are quiet.
  public private(set) var movingSince: Moment?
  /// The time at which the ignition went off; nil while it is on.
  private(set) var ignitionOffSince: Moment?
  /// Start of the last reported motion.
  private(set) var lastOnset: Moment?

  /// True if motion state, ignition or supply report motion. A device in a moving car is moving.
  public var isMoving: Bool {
    ignition == true || isSupplyMoving || !motion.isDisjoint(with: [.driving])
      || (!motion.isDisjoint(with: [.walking, .running, .cycling]) && !motion.contains(.stationary))
  }

  /// Records the report of a source of motion; nil if it is lost.
  mutating func set(_ source: MotionSource, isActive: Bool?) { sources[source] = isActive }

  mutating func set(motion: MotionStates, now: Moment) {
    self.motion = motion
    update(now: now)
  }

  mutating func set(ignition: Bool?, now: Moment) {
    if ignition != false {
      ignitionOffSince = nil
    } else if self.ignition != false {
      ignitionOffSince = now
    }
    self.ignition = ignition
    sources[.ignition] = ignition
    update(now: now)
  }

  mutating func set(supplyMoving: Bool, now: Moment) {
    isSupplyMoving = supplyMoving
    update(now: now)
  }

  private mutating func update(now: Moment) {
    guard isMoving else {
      movingSince = nil
      return
    }
    if movingSince == nil { lastOnset = now }
    movingSince = movingSince ?? now
  }
}
