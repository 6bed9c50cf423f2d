import Quantities

/// Detects a tow: motion of the vehicle while its ignition is off.
///
/// The motion must last, and the ignition is checked again afterwards, so that a driver who gets in causes no alarm.
/// Shaking alone counts only if no fix contradicts it.
struct TowWatch: Equatable, Sendable {
  /// Distance in metres from the parking position; nil without a fix.
  struct Alarm: Equatable, Sendable {
    var metres: Double?
  }

  /// Distance in metres, beyond the uncertainty of the fixes, that counts as displacement.
  static let reach = 100.0
  /// Time after the required motion in which the ignition may still come on.
  static let recheck = Duration.seconds(30)
  /// Longest pause in the shaking that does not end it, because a truck stops at crossings.
  static let pause = Duration.seconds(15)

  var delay: Duration
  var duration: Duration
  /// True after an alarm, until the ignition is on.
  private(set) var isReported = false
  private var offSince: Moment?
  /// The parking position.
  private(set) var position: Observation?
  private var movingSince: Moment?
  /// Start of the time without shaking; nil during it.
  private var quietSince: Moment?
  private var isShaken = false
  private var metres: Double?

  init(delay: Duration, duration: Duration) {
    self.delay = delay
    self.duration = duration
  }

  /// Processes the ignition line; nil if it cannot be read: then there is no alarm.
  mutating func ignition(_ isOn: Bool?, now: Moment) {
    guard isOn == false else {
      offSince = nil
      position = nil
      forget()
      if isOn == true { isReported = false }
      return
    }
    offSince = offSince ?? now
  }

  private mutating func forget() {
    movingSince = nil
    quietSince = nil
    metres = nil
  }

  private func isArmed(_ now: Moment) -> Bool { !isReported && (offSince.map { now - $0 >= delay } ?? false) }

  /// Handles the start or end of motion by the accelerometer.
  mutating func shaken(_ isActive: Bool, now: Moment) {
    isShaken = isActive
    guard offSince != nil else { return }
    if isActive {
      quietSince = nil
      if isArmed(now) { movingSince = movingSince ?? now }
    } else if movingSince != nil, metres == nil {
      quietSince = quietSince ?? now
    }
  }

  mutating func take(_ observation: Observation, now: Moment) -> Alarm? {
    guard offSince != nil, !isReported else { return nil }
    guard isArmed(now), let position else {
      // The vehicle may still roll to its final position.
      if observation.radius <= Self.reach { self.position = observation }
      return nil
    }
    let away = observation.distance(to: position)
    let isElsewhere = away > max(Self.reach, 3 * observation.uncertainty(with: position))
    if isElsewhere || Odometer.isMoving(observation) {
      movingSince = movingSince ?? now
      quietSince = nil
      metres = isElsewhere ? away : metres
    } else if observation.radius <= Self.reach {
      // It is at its position, whatever shakes it.
      forget()
    }
    return handleTimeout(now: now)
  }

  var nextTimeout: Moment? {
    guard let movingSince, !isReported, offSince != nil else { return nil }
    let alarm = movingSince + duration + Self.recheck
    return quietSince.map { min($0 + Self.pause, alarm) } ?? alarm
  }

  mutating func handleTimeout(now: Moment) -> Alarm? {
    guard let due = nextTimeout, now >= due else { return nil }
    if let quietSince, now - quietSince >= Self.pause {
      forget()
      return nil
    }
    guard let movingSince, now - movingSince >= duration + Self.recheck else { return nil }
    let alarm = Alarm(metres: metres)
    forget()
    isReported = true
    return alarm
  }

  /// Registers that an earlier run reported the tow.
  mutating func resumeReported() { isReported = true }
}
