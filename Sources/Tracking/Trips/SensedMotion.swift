import Quantities

/// What the sensors besides the receiver say about motion.
public struct SensedMotion: Equatable, Sendable {
  /// The class of motion; empty while undecided or without an accelerometer.
  public private(set) var motion: MotionStates = []
  /// The ignition line; nil where there is none.
  public private(set) var ignition: Bool?
  /// The supply says moving: an alternator works, or a charger.
  public private(set) var isSupplyMoving = false
  /// Since when something says moving; nil while all is quiet.
  public private(set) var movingSince: Moment?
  /// Since when the ignition is off.
  private(set) var ignitionOffSince: Moment?
  /// When something last began to say moving.
  private(set) var lastOnset: Moment?

  /// True while the motion class, the ignition or the supply says moving. A device that lies still in a moving car is moving.
  public var isMoving: Bool {
    ignition == true || isSupplyMoving || !motion.isDisjoint(with: [.driving])
      || (!motion.isDisjoint(with: [.walking, .running, .cycling]) && !motion.contains(.stationary))
  }

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
