import Quantities

/// Tells when a vehicle whose ignition is off is carried away.
///
/// Motion has to last, and the ignition is looked at once more after it: a driver who gets in is no thief. Shaking alone
/// counts only where no fix contradicts it.
struct TowWatch: Equatable, Sendable {
  /// Metres from the place of parking; nil where no fix tells them.
  struct Alarm: Equatable, Sendable {
    var metres: Double?
  }

  /// Metres beyond the fixes' uncertainty that are displacement.
  static let reach = 100.0
  /// After motion has lasted, so long the ignition may still come on.
  static let recheck = Duration.seconds(30)
  /// A pause in the shaking that does not end it: a truck halts at crossings.
  static let pause = Duration.seconds(15)

  var delay: Duration
  var duration: Duration
  /// It was told; not again before the ignition was on.
  private(set) var isTold = false
  private var offSince: Moment?
  /// Where it was parked.
  private(set) var place: Sample?
  private var movingSince: Moment?
  /// Since when nothing shakes it; nil while something does.
  private var stillSince: Moment?
  private var isShaken = false
  private var metres: Double?

  init(delay: Duration, duration: Duration) {
    self.delay = delay
    self.duration = duration
  }

  /// Nil where the line cannot be read: then nobody knows, and there is no alarm.
  mutating func ignition(_ isOn: Bool?, now: Moment) {
    guard isOn == false else {
      offSince = nil
      place = nil
      forget()
      if isOn == true { isTold = false }
      return
    }
    offSince = offSince ?? now
  }

  private mutating func forget() {
    movingSince = nil
    stillSince = nil
    metres = nil
  }

  private func isArmed(_ now: Moment) -> Bool { !isTold && (offSince.map { now - $0 >= delay } ?? false) }

  /// The accelerometer began or ceased to see motion.
  mutating func shaken(_ isActive: Bool, now: Moment) {
    isShaken = isActive
    guard offSince != nil else { return }
    if isActive {
      stillSince = nil
      if isArmed(now) { movingSince = movingSince ?? now }
    } else if movingSince != nil, metres == nil {
      stillSince = stillSince ?? now
    }
  }

  mutating func take(_ sample: Sample, now: Moment) -> Alarm? {
    guard offSince != nil, !isTold else { return nil }
    guard isArmed(now), let place else {
      // It may roll into its place before.
      if (sample.accuracy ?? 0) <= Self.reach { self.place = sample }
      return nil
    }
    let away = sample.distance(to: place)
    let isElsewhere = away > max(Self.reach, 3 * sample.uncertainty(with: place))
    if isElsewhere || Odometer.isMoving(sample) {
      movingSince = movingSince ?? now
      stillSince = nil
      metres = isElsewhere ? away : metres
    } else {
      // It stands where it stood, whatever shakes it.
      forget()
    }
    return handleTimeout(now: now)
  }

  var nextTimeout: Moment? {
    guard let movingSince, !isTold, offSince != nil else { return nil }
    let alarm = movingSince + duration + Self.recheck
    return stillSince.map { min($0 + Self.pause, alarm) } ?? alarm
  }

  mutating func handleTimeout(now: Moment) -> Alarm? {
    guard let due = nextTimeout, now >= due else { return nil }
    if let stillSince, now - stillSince >= Self.pause {
      forget()
      return nil
    }
    guard let movingSince, now - movingSince >= duration + Self.recheck else { return nil }
    let alarm = Alarm(metres: metres)
    forget()
    isTold = true
    return alarm
  }

  /// It was told in an earlier run.
  mutating func resumeTold() { isTold = true }
}
