import Quantities

/// The common part of all simulated modules: supply, sleep, acquisition, and serial output.
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

  /// A restart requested by a command.
  struct Restart: Sendable, Equatable {
    var kind: ModuleStartKind
    var survivor: Survivor
  }

  /// Alternating sleep and operation.
  struct Cycle: Sendable, Equatable {
    var run: Duration
    var sleep: Duration
    /// True if `run` begins with the first fix instead of the start.
    var countsFromFix: Bool
    var manner: Sleep
  }

  let options: ModuleOptions
  var faults: ModuleFaults
  var line: ModuleLine
  var memory = NavigationMemory()
  var random: SplitMix64
  var clock = Moment.zero
  var phase = Phase.off
  var hasReception = true

  /// Time between two epochs.
  var interval = Duration.seconds(1)
  var cycle: Cycle?
  /// Start of the cycle.
  private var cycleStart = Moment.zero
  private(set) var isNavigating = false
  private(set) var startedAt = Moment.zero
  private(set) var fixAt = Moment.zero
  private(set) var fixedAt: Moment?
  private(set) var nextEpoch = Moment.zero
  private var epochNumber = 0
  private var receiver: VirtualReceiver
  private var startKind = ModuleStartKind.cold

  /// Effects of a command, applied by the module after the command was received.
  var answers: [[UInt8]] = []
  /// Messages that follow the answers as fast as the line permits.
  var backlog: [[UInt8]] = []
  var speedAfterAnswer: UInt32?
  var requestedSleep: Sleep?
  var requestedRestart: Restart?

  init(_ options: ModuleOptions, speed: UInt32) {
    self.options = options
    faults = options.faults
    line = ModuleLine(speed: options.savedSpeed ?? speed)
    random = SplitMix64(seed: options.seed)
    receiver = VirtualReceiver(route: options.route, seed: options.seed)
    if options.firstStart != .cold {
      memory.knowsTime = true
      let corner = options.route.legs.first?.corner
      memory.position = .init(latitude: corner?.latitude ?? 0, longitude: corner?.longitude ?? 0)
      memory.ephemeris = options.firstStart == .hot ? .zero : nil
    }
  }

  // MARK: Effects of commands

  mutating func answer(_ bytes: [UInt8]) { answers.append(bytes) }
  mutating func answer(_ body: String) { answers.append(ModuleFrame.sentence(body)) }

  /// Stops acquisition and epochs; the dialogue continues.
  mutating func stopNavigation() {
    // Aiding data is valid for one start.
    memory.aidedSatellites = 0
    isNavigating = false
    fixedAt = nil
  }

  mutating func startNavigation() {
    isNavigating = true
    epochNumber = 0
    startedAt = clock
    fixedAt = nil
    startKind = memory.startKind(at: clock, options.starts)
    fixAt = clock + options.starts.toFix(startKind)
    nextEpoch = epoch(after: clock)
  }

  /// Handles aiding data (time, position, ephemeris or predictions), which may advance the fix.
  mutating func useAid() {
    let kind = memory.startKind(at: clock, options.starts)
    guard isNavigating, fixedAt == nil, kind.rawValue < startKind.rawValue else { return }
    startKind = kind
    fixAt = min(fixAt, clock + options.starts.toFix(kind))
  }

  /// Restarts the cycle now.
  mutating func restartCycle() { cycleStart = clock }

  /// Sets the interval of epochs, which are at whole multiples of it in universal time.
  mutating func set(interval: Duration) {
    self.interval = min(max(interval, .milliseconds(25)), .seconds(10_000))
    nextEpoch = epoch(after: clock)
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
        [isNavigating ? nextEpoch + options.solutionDelay : nil, cycleEnd].compactMap { $0 }.min()
      case .closing: line.burstEnd ?? clock
      }
    return [own, faults.restartsAt, faults.speedChange?.at].compactMap { $0 }.min()
  }

  var cycleEnd: Moment? {
    guard isNavigating, let cycle else { return nil }
    guard let from = cycle.countsFromFix ? fixedAt : startedAt else { return nil }
    return max(from, cycleStart) + cycle.run
  }

  func time(at moment: Moment) -> Timestamp { options.utc + (moment - .zero) }

  private func epoch(after moment: Moment) -> Moment {
    let interval = interval.wholeNanoseconds
    let origin = min(max(options.utc.milliseconds, -8_000_000_000_000), 8_000_000_000_000) * 1_000_000
    let phase = (origin &+ moment.nanoseconds) % interval
    return moment + Duration(wholeNanoseconds: interval - (phase < 0 ? phase + interval : phase))
  }

  /// Skips epochs of a long time without queries, except for those of the last minute.
  mutating func skipEpochs(before now: Moment) {
    guard fixedAt != nil || !hasReception, now - nextEpoch > .seconds(600) else { return }
    let resumed = epoch(after: min(now - .seconds(60), cycleEnd ?? .init(nanoseconds: .max)))
    nextEpoch = max(nextEpoch, resumed)
  }

  /// Returns the due epoch, and schedules the next one.
  mutating func takeEpoch() -> ModuleEpoch {
    let moment = nextEpoch
    nextEpoch = epoch(after: moment)
    let isFixed = hasReception && moment >= fixAt
    let solution = receiver.solution(at: time(at: moment))
    if isFixed { learn(solution, at: moment) }
    defer { epochNumber &+= 1 }
    return ModuleEpoch(
      number: epochNumber, time: time(at: moment), sinceStart: moment - startedAt,
      timeToFix: fixedAt.map { $0 - startedAt },
      // The beginning of the signal gives the time of day; the date requires the rest of the page.
      knowsTime: memory.knowsTime || moment >= fixAt - .seconds(3), knowsDate: memory.knowsTime,
      fix: isFixed ? solution : nil, oldPosition: memory.position)
  }

  private mutating func learn(_ solution: NMEAEpoch, at moment: Moment) {
    if fixedAt == nil {
      fixedAt = moment
      if startKind != .hot { memory.ephemeris = moment }
    }
    memory.knowsTime = true
    memory.position = .init(latitude: solution.latitude, longitude: solution.longitude)
    if moment - startedAt >= options.starts.ephemerisReading { memory.ephemeris = moment }
  }

  mutating func setReception(_ isOpen: Bool) {
    if isOpen, !hasReception { fixAt = max(fixAt, clock + options.starts.hot) }
    hasReception = isOpen
  }

  mutating func fallAsleep(_ sleep: Sleep) {
    if !sleep.finishesOutput { line.cut() }
    stopNavigation()
    phase = .asleep(sleep, wakeAt: sleep.duration.map { clock + $0 })
  }
}
