import Quantities
import SystemLoop
import Tracking

/// The host's sleep at work: carries out what a ``Tracking/HostPlan`` decides.
final class HostDuty {
  private(set) var plan: HostPlan
  let means: HostSwitch
  /// What keeps the host up and what it is needed for.
  var situation: (Moment) -> HostSituation = { _ in HostSituation(hold: .storage) }
  /// Say it and make everything durable, then call ``durable(_:)`` with this token.
  var onPrepare: (HostSleep, _ token: UInt64) -> Void = { _, _ in }
  var onGoing: (HostSleep) -> Void = { _ in }
  var onStayUp: (_ reason: String, _ retry: Duration?) -> Void = { _, _ in }
  var onWoke: (HostWaking) -> Void = { _ in }
  /// When it will be then, in UTC; nil while unknown.
  var date: (Moment) -> Timestamp? = { _ in nil }

  /// A request of the local API holds the host up for so long.
  static let visit = Duration.seconds(120)
  /// A difference of the two clocks below this is none.
  private static let leastSuspension = Duration.seconds(1)

  private let loop: EventLoop
  private let suspended: () -> Duration
  private var suspendedBefore: Duration
  private var timer: LoopTimer?
  private var visitedUntil: Moment?
  private var token: UInt64

  /// The watchdog counts from below.
  private static let firstToken: UInt64 = 1 << 63

  /// `suspended` is for how long the system has been suspended since its start.
  init(
    _ rules: HostRules, _ means: HostSwitch, loop: EventLoop,
    suspended: @escaping () -> Duration = SystemClock.suspended
  ) {
    self.loop = loop
    self.means = means
    self.suspended = suspended
    suspendedBefore = suspended()
    token = Self.firstToken
    plan = HostPlan(rules, now: loop.now)
    timer = loop.addTimer("host") { [unowned self] now in timeout(now: now) }
  }

  var hasVisitor: Bool { visitedUntil != nil }

  /// Called in each turn of the loop.
  func look(now: Moment) {
    noteSuspension(now: now)
    if let until = visitedUntil, now >= until { visitedUntil = nil }
    carryOut(plan.look(situation(now), now: now))
  }

  /// Somebody asks the local API.
  func visited(now: Moment) {
    visitedUntil = now + Self.visit
    arm()
  }

  /// The store's worker has answered; false where the token is not this one.
  func answered(_ token: UInt64, isDurable: Bool) -> Bool {
    guard token >= Self.firstToken else { return false }
    if token == self.token { carryOut(plan.durable(isDurable, now: loop.now)) }
    return true
  }

  func restored(_ waking: HostWaking) { carryOut(plan.restored(waking, now: loop.now)) }

  /// The logger leaves: an alarm stays set only where the host is on its way down.
  func stop() {
    if let timer { loop.removeTimer(timer) }
    timer = nil
    means.leave()
    if !plan.isFalling { means.cancelAlarm() }
  }

  private func timeout(now: Moment) {
    noteSuspension(now: now)
    if plan.isGoing { carryOut(plan.handleTimeout(now: now)) }
    look(now: now)
  }

  /// A suspension is seen before the deadlines that passed in it are heeded.
  private func noteSuspension(now: Moment) {
    let total = suspended()
    let slept = total - suspendedBefore
    guard slept >= Self.leastSuspension else { return }
    suspendedBefore = total
    carryOut(plan.resumed(after: slept, now: now))
  }

  private func carryOut(_ actions: [HostPlan.Action]) {
    for action in actions {
      switch action {
      case .prepare(let sleep):
        token &+= 1
        onPrepare(sleep, token)
      case .goDown(let sleep):
        onGoing(sleep)
        means.goDown(for: sleep.wake - loop.now, until: date(sleep.wake)) { [weak self] failure in
          guard let self else { return }
          carryOut(plan.commanded(failure: failure, now: loop.now))
        }
      case .stayUp(let reason, let retry):
        means.abandon()
        means.cancelAlarm()
        onStayUp(reason, retry)
      case .woke(let waking):
        means.leave()
        means.cancelAlarm()
        onWoke(waking)
      }
    }
    arm()
  }

  private func arm() {
    timer?.arm(at: [plan.nextTimeout, visitedUntil].compactMap { $0 }.min(), slack: .seconds(1))
  }
}
