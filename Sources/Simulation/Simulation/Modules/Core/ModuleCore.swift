import Quantities

/// The common part of all simulated modules: supply, sleep, serial output, and the effects of commands.
struct ModuleCore: Sendable {
  /// The present phase of operation.
  enum Phase: Sendable, Equatable {
    case off
    case asleep(Sleep, wakeAt: Moment?)
    /// The supply or a wake-up edge was applied; no input or output yet.
    case starting(until: Moment, survivor: Survivor, fromSleep: Bool)
    case running
    /// The module enters sleep as soon as its output has been sent.
    case closing(Sleep)
  }

  /// A sleep and the conditions that end it.
  struct Sleep: Sendable, Equatable {
    /// The time after which the module wakes by itself.
    var duration: Duration?
    var wakesByReceive = true
    var wakesByPin = true
    var survivor = Survivor.memory
    /// True to send pending output first; otherwise the line stops in the middle of a byte.
    var finishesOutput = true
  }

  /// Alternating sleep and operation.
  struct Cycle: Sendable, Equatable {
    var run: Duration
    var sleep: Duration
    /// True if `run` begins with the first fix instead of the start.
    var countsFromFix: Bool
    var manner: Sleep
  }

  /// What a command does after its answers were sent.
  enum Consequence: Sendable, Equatable {
    case speed(UInt32)
    case sleep(Sleep)
    case restart(ModuleStartKind, Survivor)
  }

  /// A fault that happens at its time.
  enum DueFault {
    case speedChange, restart
  }

  /// Time from a command to its answers.
  private static let answerTime = Duration.milliseconds(5)

  let options: ModuleOptions
  private(set) var faults: ModuleFaults
  private(set) var line: ModuleLine
  private(set) var navigation: NavigationEngine
  private(set) var clock = Moment.zero
  private(set) var phase = Phase.off
  private(set) var cycle: Cycle?
  /// Start of the cycle.
  private var cycleStart = Moment.zero
  private var answers: [[UInt8]] = []
  /// Messages that follow the answers as fast as the line permits.
  private var backlog: [[UInt8]] = []
  private var consequence: Consequence?
  private var random: SplitMix64

  init(_ options: ModuleOptions, speed: UInt32) {
    self.options = options
    faults = options.faults
    line = ModuleLine(speed: options.savedSpeed ?? speed)
    navigation = NavigationEngine(options)
    random = SplitMix64(seed: options.seed)
  }

  // MARK: Commands

  /// Applies the faults from now on.
  mutating func set(_ faults: ModuleFaults) { self.faults = faults }

  mutating func answer(_ bytes: [UInt8]) { answers.append(bytes) }
  mutating func answer(_ body: String) { answers.append(ModuleFrame.sentence(body)) }

  /// Answers as `other` would, which executed the command.
  mutating func answer(as other: ModuleCore) { answers = other.answers }

  /// Sends messages after the answers, in any number.
  mutating func follow(with messages: [[UInt8]]) { backlog += messages }

  /// Sets what the command does after its answers were sent.
  mutating func follow(with consequence: Consequence) { self.consequence = consequence }

  /// Changes the baud rate in bit/s, also for the answers.
  mutating func set(speed: UInt32) { line.change(speed: speed) }

  /// Sets the interval of epochs, which are at whole multiples of it in universal time.
  mutating func set(interval: Duration) { navigation.set(interval: interval, now: clock) }

  mutating func set(_ cycle: Cycle?) { self.cycle = cycle }

  /// Restarts the cycle now.
  mutating func restartCycle() { cycleStart = clock }

  mutating func startNavigation() { navigation.start(now: clock) }

  /// Stops acquisition and epochs; the dialogue continues.
  mutating func stopNavigation() { navigation.stop() }

  /// Handles aiding data: the time, a position, and ephemerides or predictions for a number of further satellites.
  mutating func aid(time: Bool = false, position: NavigationMemory.Position? = nil, satellites: Int = 0) {
    navigation.aid(time: time, position: position, satellites: satellites, now: clock)
  }

  /// Discards the navigation data that is unknown after a start of this kind.
  mutating func forget(for kind: ModuleStartKind) { navigation.forget(for: kind) }

  /// Restores navigation data that was saved without a running clock, unless the module still has its own.
  mutating func restore(_ saved: NavigationMemory) { navigation.restore(saved) }

  // MARK: Output

  /// Sends a message of the periodic output.
  mutating func send(_ bytes: [UInt8]) { send(bytes, ready: clock) }

  /// Sends the answers to a command, which take their time and may be lost, and their backlog. Returns what the command
  /// does then.
  mutating func sendAnswers() -> Consequence? {
    let ready = clock + Self.answerTime + faults.answerDelay
    for answer in answers {
      let isLost = faults.lostAnswers > Double.random(in: 0..<1, using: &random)
      if !isLost { send(answer, ready: ready) }
    }
    endAnswers(ready: ready)
    defer { consequence = nil }
    return consequence
  }

  /// Sends the answers that no command has caused.
  mutating func sendUnasked() {
    for answer in answers { send(answer, ready: clock) }
    endAnswers(ready: clock)
  }

  private mutating func endAnswers(ready: Moment) {
    answers.removeAll()
    if faults.mute?.contains(ready) != true { line.follow(with: backlog, ready: ready) }
    backlog.removeAll()
  }

  private mutating func send(_ bytes: [UInt8], ready: Moment) {
    if let mute = faults.mute, mute.contains(ready) { return }
    line.send(bytes, ready: ready)
  }

  /// Changes the baud rate after the answers that were sent.
  mutating func setSpeedAfterAnswers(_ speed: UInt32) {
    line.send([], ready: clock + faults.answerDelay + Self.answerTime, nextSpeed: speed)
  }

  /// The sent data as received by a host at `speed`.
  mutating func fetch(at speed: UInt32) -> [UInt8] { line.fetch(at: speed, &random) }

  /// The bytes that the module receives if a host sends `count` bytes at another baud rate.
  mutating func garbage(_ count: Int, at speed: UInt32) -> [UInt8] {
    ModuleLine.garbage(count, speed, line.speed, &random)
  }

  // MARK: Supply and sleep

  /// Cuts the supply.
  mutating func switchOff() {
    stopNavigation()
    line.cut()
    phase = .off
  }

  /// Starts by the supply or a wake-up edge; the module runs after `time`.
  mutating func start(_ survivor: Survivor, fromSleep: Bool, after time: Duration) {
    stopNavigation()
    phase = .starting(until: clock + time, survivor: survivor, fromSleep: fromSleep)
  }

  /// Runs, without a cycle.
  mutating func run() {
    phase = .running
    cycle = nil
  }

  /// Handles a command to sleep.
  mutating func obey(_ sleep: Sleep) {
    stopNavigation()
    if sleep.finishesOutput { phase = .closing(sleep) } else { fallAsleep(sleep) }
  }

  /// Begins the sleep of the cycle if it is due.
  mutating func endCycle() -> Bool {
    guard let cycle, let end = cycleEnd, end <= clock else { return false }
    var manner = cycle.manner
    manner.duration = cycle.sleep
    phase = .closing(manner)
    return true
  }

  mutating func fallAsleep(_ sleep: Sleep) {
    if !sleep.finishesOutput { line.cut() }
    stopNavigation()
    phase = .asleep(sleep, wakeAt: sleep.duration.map { clock + $0 })
  }

  // MARK: Time

  /// The next event without input from the host.
  var nextEvent: Moment? {
    let own: Moment? =
      switch phase {
      case .off: nil
      case .asleep(_, let wakeAt): wakeAt
      case .starting(let until, _, _): until
      case .running:
        [navigation.isNavigating ? navigation.nextEpoch + options.solutionDelay : nil, cycleEnd]
          .compactMap { $0 }.min()
      case .closing: line.burstEnd ?? clock
      }
    return [own, faults.restartsAt, faults.speedChange?.at].compactMap { $0 }.min()
  }

  private var cycleEnd: Moment? {
    guard let cycle, let from = cycle.countsFromFix ? navigation.fixedAt : navigation.startedAt else {
      return nil
    }
    return max(from, cycleStart) + cycle.run
  }

  /// Sends what the line permits up to `now`, which is never before an earlier time.
  mutating func advance(to now: Moment) {
    clock = max(clock, now)
    line.drain(until: clock)
  }

  /// Skips epochs of a long time without queries, except for those of the last minute.
  mutating func skipEpochs(before now: Moment) { navigation.skipEpochs(before: now, end: cycleEnd) }

  /// Returns the due epoch, and schedules the next one; nil while navigation is stopped.
  mutating func takeEpoch() -> ModuleEpoch? { navigation.takeEpoch() }

  /// Returns and removes a fault whose time has come, after its effect on the line.
  mutating func takeDueFault() -> DueFault? {
    if let change = faults.speedChange, change.at <= clock {
      faults.speedChange = nil
      line.change(speed: change.speed)
      return .speedChange
    }
    if let moment = faults.restartsAt, moment <= clock {
      faults.restartsAt = nil
      line.cut()
      return .restart
    }
    return nil
  }

  mutating func setReception(_ isOpen: Bool) { navigation.setReception(isOpen, now: clock) }
}
