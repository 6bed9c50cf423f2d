import CLinux
import Glibc
import Quantities
import System

/// An event loop: one thread, one `epoll_wait`, and one timer descriptor armed for the next wake-up, which
/// ``WakeSchedule`` determines.
///
/// All handlers are called on the thread that calls ``run()``; nothing is thread-safe. With a ``SimulatedClock`` the loop
/// does not sleep: when it is idle, the clock jumps to the next wake-up.
public final class EventLoop {
  /// The events to wait for on a descriptor. Hang-up and errors are always reported (epoll_ctl(2)).
  public struct Interest: OptionSet, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    public static let readable = Interest(rawValue: 1)
    public static let writable = Interest(rawValue: 2)
  }

  /// The events that occurred on a descriptor.
  public struct Readiness: OptionSet, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    public static let readable = Readiness(rawValue: 1)
    public static let writable = Readiness(rawValue: 2)
    /// The other end is closed, or the descriptor has an error.
    public static let hangup = Readiness(rawValue: 4)
  }

  /// A watched descriptor. Events of a removed registration are never delivered, even if the kernel has
  /// reused its descriptor number.
  public struct Registration: Hashable, Sendable {
    let serial: UInt32
    let descriptor: Int32
  }

  private struct Watch {
    let serial: UInt32
    let handler: (Readiness) -> Void
  }

  /// The clocks of the loop and of all that runs on it.
  public let clock: any LoopClock
  /// The clock that the loop advances; nil if time passes by itself.
  private let simulation: SimulatedWaiting?
  private let poller: Descriptor
  private let timer: Descriptor
  private var watches: [Int32: Watch] = [:]
  private var timers: [LoopTimer] = []
  private var turns: [(Moment) -> Void] = []
  private var nextCalls: [() -> Void] = []
  private var armed: Moment?
  private var lastSerial: UInt32 = 0
  private var isStopping = false
  /// Number of loop iterations; an iteration is everything called between two waits.
  public private(set) var turn: UInt64 = 0
  /// The durations of the iterations. A long one delays everything else that the loop does.
  public private(set) var turnTimes: TurnTimes

  private static let timerSerial: UInt32 = 0

  public convenience init() throws(SystemError) {
    try self.init(clock: SystemClock(), simulation: nil)
  }

  /// A loop with a clock that jumps to the next wake-up when the loop is idle.
  public convenience init(simulating clock: SimulatedClock) throws(SystemError) {
    try self.init(clock: clock, simulation: SimulatedWaiting(clock))
  }

  private init(clock: any LoopClock, simulation: SimulatedWaiting?) throws(SystemError) {
    self.clock = clock
    self.simulation = simulation
    turnTimes = TurnTimes(suspended: clock.suspended())
    poller = Descriptor(owning: try check("epoll_create1", epoll_create1(Int32(EPOLL_CLOEXEC))))
    timer = Descriptor(
      owning: try check(
        "timerfd_create", timerfd_create(CLOCK_BOOTTIME, Int32(TFD_CLOEXEC) | Int32(TFD_NONBLOCK))))
    // Edge-triggered: arming the timer clears it, so it never has to be read.
    var event = Self.event(
      EPOLLIN.rawValue | EPOLLET.rawValue, serial: Self.timerSerial, descriptor: timer.raw)
    try check("epoll_ctl", epoll_ctl(poller.raw, EPOLL_CTL_ADD, timer.raw, &event))
  }

  /// The boot-time clock, read now.
  public var now: Moment { clock.moment() }

  // MARK: Descriptors

  /// Watches a descriptor that the caller keeps open until ``remove(_:)``.
  public func watch(
    _ descriptor: Int32, for interest: Interest, _ handler: @escaping (Readiness) -> Void
  ) throws(SystemError) -> Registration {
    lastSerial = lastSerial == .max ? 1 : lastSerial + 1
    var event = Self.event(Self.mask(interest), serial: lastSerial, descriptor: descriptor)
    try check("epoll_ctl", epoll_ctl(poller.raw, EPOLL_CTL_ADD, descriptor, &event))
    watches[descriptor] = Watch(serial: lastSerial, handler: handler)
    return Registration(serial: lastSerial, descriptor: descriptor)
  }

  /// Changes the events to wait for; an empty interest reports only hang-up.
  public func change(_ registration: Registration, to interest: Interest) throws(SystemError) {
    guard watches[registration.descriptor]?.serial == registration.serial else { return }
    var event = Self.event(
      Self.mask(interest), serial: registration.serial, descriptor: registration.descriptor)
    try check("epoll_ctl", epoll_ctl(poller.raw, EPOLL_CTL_MOD, registration.descriptor, &event))
  }

  /// Ends a registration; the descriptor stays open.
  public func remove(_ registration: Registration) {
    guard watches[registration.descriptor]?.serial == registration.serial else { return }
    watches[registration.descriptor] = nil
    var unused = epoll_event()
    epoll_ctl(poller.raw, EPOLL_CTL_DEL, registration.descriptor, &unused)
  }

  // MARK: Timers

  /// A new timer, not armed.
  public func addTimer(_ name: StaticString, _ handler: @escaping (Moment) -> Void) -> LoopTimer {
    let timer = LoopTimer(name: name, clock: clock, handler: handler)
    timers.append(timer)
    return timer
  }

  /// A new timer on the clock of the kernel, for a library that reads that clock itself. In a simulation its deadlines
  /// pass in real time.
  public func addSystemTimer(_ name: StaticString, _ handler: @escaping (Moment) -> Void) -> LoopTimer {
    guard let simulation else { return addTimer(name, handler) }
    let timer = LoopTimer(name: name, clock: SystemClock(), handler: handler)
    simulation.systemTimers.append(timer)
    return timer
  }

  /// Keeps a simulated clock from jumping while `isBusy` returns true: something outside the loop works for it.
  ///
  /// A thread is awaited to its end, a network for ``Outside/peerTimeout`` without an event. Without effect if time passes
  /// by itself.
  public func awaitInSimulation(_ outside: Outside, while isBusy: @escaping () -> Bool) {
    simulation?.outside.append((outside, isBusy))
  }

  public func removeTimer(_ timer: LoopTimer) {
    timer.arm(within: nil)
    timers.removeAll { $0 === timer }
    simulation?.systemTimers.removeAll { $0 === timer }
  }

  /// Calls `handler` once in every loop iteration, before the loop waits: for answers that can wait until the
  /// loop is awake anyway.
  public func everyTurn(_ handler: @escaping (Moment) -> Void) { turns.append(handler) }

  /// Calls `handler` once in the next loop iteration, after all events that are ready: for unfinished work
  /// with low priority. The loop does not sleep before.
  public func callNextTurn(_ handler: @escaping () -> Void) { nextCalls.append(handler) }

  // MARK: Running

  /// Waits and calls handlers until ``stop()``. Throws only if waiting fails.
  public func run() throws(SystemError) {
    isStopping = false
    simulation?.isAtLimit = false
    var events = [epoll_event](repeating: epoll_event(), count: 16)
    var start = self.now
    // The time at which nothing was called yet, so that the clock is not read twice.
    var known: Moment? = start
    while true {
      let now = runTimers(known)
      for turn in turns { turn(now) }
      turnTimes.handle(from: start, to: turns.isEmpty ? now : self.now, suspended: clock.suspended)
      guard !isStopping, simulation?.isAtLimit != true else { return }
      let wake = WakeSchedule.next(timers.lazy.compactMap(\.window))
      let ready: Int32
      if let simulation {
        ready = simulation.wait(poller, watches.keys, &events, until: wake, isIdle: nextCalls.isEmpty)
      } else {
        try arm(wake)
        ready = epoll_wait(poller.raw, &events, Int32(events.count), nextCalls.isEmpty ? -1 : 0)
      }
      let number = errno
      start = self.now
      known = nil
      if ready < 0, number == EINTR { continue }
      guard ready >= 0 else { throw SystemError(call: "epoll_wait", number: number) }
      turn &+= 1
      var hasCalled = !nextCalls.isEmpty
      for event in events.prefix(Int(ready)) where deliver(event) { hasCalled = true }
      callBack()
      if !hasCalled { known = start }
    }
  }

  /// Ends ``run()`` before it waits again.
  public func stop() { isStopping = true }

  /// Runs until the simulated clock has advanced by `duration` and nothing is left to do at that time, or until
  /// ``stop()``.
  ///
  /// The loop must have been created with ``init(simulating:)``; otherwise this returns at once.
  public func advance(by duration: Duration) throws(SystemError) {
    guard let simulation else { return }
    simulation.limit = now + duration
    defer { simulation.limit = nil }
    try run()
  }

  /// Calls the timers. `known` is the time if it was read just now; returns the time after the last call.
  private func runTimers(_ known: Moment?) -> Moment {
    var known = known
    if let simulation, simulation.runSystemTimers() { known = nil }
    // A handler may arm timers, including its own. The number of rounds is limited, so a deadline in the past
    // cannot block descriptors.
    for _ in 0..<4 {
      let now = known ?? self.now
      known = nil
      if run(now: now, where: { $0.due <= now }) { continue }
      // The remaining deadlines are known only now, after the due timers have been rearmed.
      let schedule = WakeSchedule(timers.lazy.compactMap(\.window), now: now)
      guard run(now: now, where: schedule.takes) else { return now }
    }
    return self.now
  }

  private func callBack() {
    guard !nextCalls.isEmpty else { return }
    // Calls requested from here on belong to the iteration after this one.
    let calls = nextCalls
    nextCalls = []
    for call in calls { call() }
  }

  /// Fires the timers whose window meets a condition; false if none does.
  private func run(now: Moment, where isSelected: (WakeWindow) -> Bool) -> Bool {
    var ran = false
    for timer in timers {
      guard let window = timer.window, isSelected(window) else { continue }
      timer.arm(within: nil)
      timer.handler(now)
      ran = true
    }
    return ran
  }

  /// Calls the handler of an event; false if there is none to call.
  private func deliver(_ event: epoll_event) -> Bool {
    let descriptor = Int32(truncatingIfNeeded: event.data.u64)
    let serial = UInt32(truncatingIfNeeded: event.data.u64 >> 32)
    if serial == Self.timerSerial {
      armed = nil
      return false
    }
    guard let watch = watches[descriptor], watch.serial == serial else { return false }
    var readiness: Readiness = []
    if event.events & EPOLLIN.rawValue != 0 { readiness.insert(.readable) }
    if event.events & EPOLLOUT.rawValue != 0 { readiness.insert(.writable) }
    if event.events & (EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0 { readiness.insert(.hangup) }
    watch.handler(readiness)
    return true
  }

  private func arm(_ deadline: Moment?) throws(SystemError) {
    guard deadline != armed else { return }
    var setting = itimerspec()
    if let deadline {
      // Zero would disarm the timer (timerfd_settime(2)).
      let nanoseconds = max(deadline.nanoseconds, 1)
      setting.it_value.tv_sec = Int(nanoseconds / 1_000_000_000)
      setting.it_value.tv_nsec = Int(nanoseconds % 1_000_000_000)
    }
    try check("timerfd_settime", timerfd_settime(timer.raw, Int32(TFD_TIMER_ABSTIME), &setting, nil))
    armed = deadline
  }

  private static func mask(_ interest: Interest) -> UInt32 {
    (interest.contains(.readable) ? EPOLLIN.rawValue : 0)
      | (interest.contains(.writable) ? EPOLLOUT.rawValue : 0)
  }

  private static func event(_ mask: UInt32, serial: UInt32, descriptor: Int32) -> epoll_event {
    let key = UInt64(serial) << 32 | UInt64(UInt32(bitPattern: descriptor))
    return epoll_event(events: mask, data: epoll_data_t(u64: key))
  }
}
