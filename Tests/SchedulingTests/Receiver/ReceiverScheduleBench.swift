import Energy
import Quantities
import GNSSProtocol
import Scheduling

/// A receiver schedule with a receiver that gets its fix some seconds after its start with reception, at 1 Hz.
struct ReceiverScheduleBench {
  var schedule: ReceiverSchedule
  private(set) var now = Moment(nanoseconds: 600_000_000_000)
  private(set) var state = ReceiverState.backup
  private(set) var kept: [KeepReason] = []
  private(set) var starts = 0
  private(set) var onTime = Duration.zero
  /// Metres to the north of the beginning.
  var north = 0.0
  /// Speed to the north in m/s.
  var speed = 0.0
  var hasReception = true
  /// Time to first fix in seconds.
  var timeToFirstFix = 2.0
  /// True if it sends nothing.
  var isMute = false
  /// Accuracy in metres, of the first seconds after a start and of later ones.
  var accuracy = (first: 18.0, later: 4.0)
  private var wokeAt: Moment?

  init(
    _ policy: TrackingPolicy, hasAccelerometer: Bool = true, currents: ReceiverCurrents = .neoM8N,
    hasBackupSupply: Bool = true
  ) {
    schedule = ReceiverSchedule(
      policy, currents: currents, model: ReceiverModel(hasBackupSupply: hasBackupSupply))
    if hasAccelerometer { perform(schedule.handle(.evidence(.accelerometer, isActive: false), now: now)) }
    perform(schedule.handle(.started, now: now))
  }

  mutating func handle(_ event: ReceiverScheduleEvent) { perform(schedule.handle(event, now: now)) }
  mutating func shake(_ isActive: Bool) { handle(.evidence(.accelerometer, isActive: isActive)) }

  /// Lets so many seconds pass; returns the reasons of the records in them.
  @discardableResult
  mutating func pass(_ seconds: Int) -> [KeepReason] {
    let before = kept.count
    for _ in 0..<seconds {
      now = now + .seconds(1)
      north += speed
      if state.isPowered { onTime += .seconds(1) }
      var rounds = 0
      while let due = schedule.nextTimeout, due <= now, rounds < 20 {
        perform(schedule.handleTimeout(now: now))
        rounds += 1
      }
      if state.isPowered, !isMute, let wokeAt {
        perform(schedule.handle(.epoch(fix(since: wokeAt)), now: now))
      }
    }
    return Array(kept[before...])
  }

  private func fix(since: Moment) -> Fix {
    var fix = Fix()
    let age = (now - since).inSeconds
    guard hasReception, age >= timeToFirstFix else { return fix }
    fix.kind = .threeDimensional
    fix.latitude = 52 + north / 111_195
    fix.longitude = 13
    fix.speed = speed
    fix.course = 0
    fix.speedAccuracy = 0.1
    fix.horizontalAccuracy = age < timeToFirstFix + 4 ? accuracy.first : accuracy.later
    return fix
  }

  private mutating func perform(_ actions: [ReceiverScheduleAction]) {
    for action in actions {
      switch action {
      case .receiver(let new, _):
        if new.isPowered, !state.isPowered {
          wokeAt = now
          starts += 1
        }
        state = new
      case .keep(let reason): kept.append(reason)
      case .keepKnownPosition(let reason): kept.append(reason)
      case .keepLastPosition(let reason, _): kept.append(reason)
      }
    }
  }
}
