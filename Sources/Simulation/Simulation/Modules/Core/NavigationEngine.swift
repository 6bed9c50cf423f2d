import Quantities

/// The navigation engine of a simulated module: acquisition, epochs, and the battery-backed data that shortens the next
/// acquisition.
struct NavigationEngine: Sendable {
  /// One operation, from its start to its stop.
  private struct Operation: Sendable {
    var startedAt: Moment
    var kind: ModuleStartKind
    /// The time from which there is a fix with reception.
    var fixAt: Moment
    /// The time of the first fix.
    var fixedAt: Moment?
    var epochs = 0
  }

  private(set) var memory: NavigationMemory
  /// Time between two epochs, which are at whole multiples of it in universal time.
  private(set) var interval = Duration.seconds(1)
  private(set) var nextEpoch = Moment.zero
  private(set) var hasReception = true
  /// The present operation; nil while stopped.
  private var operation: Operation?
  private var receiver: VirtualReceiver
  private let starts: ModuleStartTimes
  /// The moving satellites; nil for constant ones.
  private let sky: SimulatedSky?
  /// Universal time at ``Moment/zero``.
  private let utc: Timestamp

  init(_ options: ModuleOptions) {
    let start = options.path?.state(at: options.utc) ?? Drive(route: options.route).state
    memory = NavigationMemory(
      before: options.firstStart, at: .init(latitude: start.latitude, longitude: start.longitude))
    receiver = VirtualReceiver(route: options.route, path: options.path, seed: options.seed)
    starts = options.starts
    sky = options.satellitesMove ? SimulatedSky() : nil
    utc = options.utc
  }

  // MARK: Operation

  var isNavigating: Bool { operation != nil }

  /// The time of the present start; nil while stopped.
  var startedAt: Moment? { operation?.startedAt }

  /// The time of the first fix since the start; nil before it and while stopped.
  var fixedAt: Moment? { operation?.fixedAt }

  mutating func start(now: Moment) {
    let kind = memory.startKind(at: now, starts)
    operation = Operation(startedAt: now, kind: kind, fixAt: now + starts.toFix(kind))
    nextEpoch = epoch(after: now)
  }

  /// Stops acquisition and epochs.
  mutating func stop() {
    memory.forgetAiding()
    operation = nil
  }

  /// Handles aiding data of the host, which may advance the fix: the time, a position, and ephemerides or predictions for
  /// a number of further satellites.
  mutating func aid(time: Bool, position: NavigationMemory.Position?, satellites: Int, now: Moment) {
    memory.aid(time: time, position: position, satellites: satellites)
    let kind = memory.startKind(at: now, starts)
    guard let operation, operation.fixedAt == nil, kind.rawValue < operation.kind.rawValue else { return }
    self.operation?.kind = kind
    self.operation?.fixAt = min(operation.fixAt, now + starts.toFix(kind))
  }

  mutating func setReception(_ isOpen: Bool, now: Moment) {
    if isOpen, !hasReception, let fixAt = operation?.fixAt {
      operation?.fixAt = max(fixAt, now + starts.hot)
    }
    hasReception = isOpen
  }

  /// Discards the data that is unknown after a start of this kind.
  mutating func forget(for kind: ModuleStartKind) { memory.forget(for: kind) }

  /// Restores data that was saved without a running clock, unless the memory still has its own.
  mutating func restore(_ saved: NavigationMemory) {
    guard memory.position == nil else { return }
    memory = saved
    memory.forgetTime()
  }

  // MARK: Epochs

  mutating func set(interval: Duration, now: Moment) {
    self.interval = min(max(interval, .milliseconds(25)), .seconds(10_000))
    nextEpoch = epoch(after: now)
  }

  private func epoch(after moment: Moment) -> Moment {
    let interval = interval.wholeNanoseconds
    let origin = min(max(utc.milliseconds, -8_000_000_000_000), 8_000_000_000_000) * 1_000_000
    let phase = (origin &+ moment.nanoseconds) % interval
    return moment + Duration(wholeNanoseconds: interval - (phase < 0 ? phase + interval : phase))
  }

  /// Skips epochs of a long time without queries, except for those of the last minute, and those after `end`.
  mutating func skipEpochs(before now: Moment, end: Moment?) {
    guard fixedAt != nil || !hasReception, now - nextEpoch > .seconds(600) else { return }
    let resumed = epoch(after: min(now - .seconds(60), end ?? .init(nanoseconds: .max)))
    nextEpoch = max(nextEpoch, resumed)
  }

  /// Returns the due epoch, and schedules the next one; nil while stopped.
  mutating func takeEpoch() -> ModuleEpoch? {
    guard let operation else { return nil }
    let moment = nextEpoch
    nextEpoch = epoch(after: moment)
    let isFixed = hasReception && moment >= operation.fixAt
    let time = utc + (moment - .zero)
    let solution = receiver.solution(at: time)
    if isFixed { learn(solution, at: moment, operation) }
    self.operation?.epochs &+= 1
    var epoch = ModuleEpoch(
      number: operation.epochs, time: time, sinceStart: moment - operation.startedAt,
      timeToFix: fixedAt.map { $0 - operation.startedAt },
      // The beginning of the signal gives the time of day; the date requires the rest of the page.
      knowsTime: memory.knowsTime || moment >= operation.fixAt - .seconds(3), knowsDate: memory.knowsTime,
      fix: isFixed ? solution : nil, oldPosition: memory.position)
    if let sky { epoch.systems = sky.systems(at: time, hasReception: hasReception) }
    return epoch
  }

  private mutating func learn(_ solution: NMEAEpoch, at moment: Moment, _ operation: Operation) {
    if operation.fixedAt == nil {
      self.operation?.fixedAt = moment
      if operation.kind != .hot { memory.learnEphemeris(at: moment) }
    }
    memory.learn(.init(latitude: solution.latitude, longitude: solution.longitude))
    if moment - operation.startedAt >= starts.ephemerisReading { memory.learnEphemeris(at: moment) }
  }
}
