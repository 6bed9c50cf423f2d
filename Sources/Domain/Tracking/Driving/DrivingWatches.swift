import Quantities

/// The detectors of driving events that the settings enable: overspeed, idling and tow. Owned by ``Tracker``.
struct DrivingWatches: Equatable, Sendable {
  /// A detected driving event.
  enum Outcome: Equatable, Sendable {
    case overspeed(OverspeedWatch.Outcome)
    case idling(IdlingWatch.Outcome)
    case towed(TowWatch.Alarm)
  }

  private(set) var overspeed: OverspeedWatch?
  private(set) var idling: IdlingWatch?
  private(set) var tow: TowWatch?

  /// Creates the watches; nil if all are off. The present state continues from `earlier`.
  init?(_ rules: DrivingRules, after earlier: DrivingWatches? = nil, ignition: Bool?, now: Moment) {
    guard rules.speedLimit != nil || rules.idlingDelay != nil || rules.towDelay != nil else { return nil }
    if let limit = rules.speedLimit {
      overspeed = earlier?.overspeed ?? OverspeedWatch(limit: limit, duration: rules.speedDuration)
      overspeed?.limit = limit
      overspeed?.duration = rules.speedDuration
    }
    if let delay = rules.idlingDelay {
      var watch = earlier?.idling ?? IdlingWatch(delay: delay, end: rules.idlingEnd)
      (watch.delay, watch.end) = (delay, rules.idlingEnd)
      if earlier?.idling == nil, ignition == true { _ = watch.ignition(true, at: nil, now: now) }
      idling = watch
    }
    if let delay = rules.towDelay {
      var watch = earlier?.tow ?? TowWatch(delay: delay, duration: rules.towDuration)
      (watch.delay, watch.duration) = (delay, rules.towDuration)
      if earlier?.tow == nil, ignition == false { watch.ignition(false, now: now) }
      tow = watch
    }
  }

  mutating func take(_ observation: Observation, now: Moment) -> [Outcome] {
    var outcomes: [Outcome] = []
    if let found = overspeed?.take(observation, now: now), !found.isEmpty {
      outcomes += found.map(Outcome.overspeed)
    }
    if let found = idling?.take(observation, now: now), !found.isEmpty {
      outcomes += found.map(Outcome.idling)
    }
    if let alarm = tow?.take(observation, now: now) { outcomes.append(.towed(alarm)) }
    return outcomes
  }

  mutating func ignition(_ isOn: Bool?, at time: Timestamp?, now: Moment) -> [Outcome] {
    tow?.ignition(isOn, now: now)
    return idling?.ignition(isOn, at: time, now: now).map(Outcome.idling) ?? []
  }

  mutating func shaken(_ isActive: Bool, now: Moment) { tow?.shaken(isActive, now: now) }

  var nextTimeout: Moment? {
    Moment.earliest(
      Moment.earliest(overspeed?.nextTimeout, idling?.nextTimeout), tow?.nextTimeout)
  }

  mutating func handleTimeout(at time: Timestamp?, now: Moment) -> [Outcome] {
    let speeding = overspeed?.handleTimeout(now: now).map(Outcome.overspeed) ?? []
    let idlingOutcomes = idling?.handleTimeout(at: time, now: now).map(Outcome.idling) ?? []
    let towOutcomes = tow?.handleTimeout(now: now).map { [Outcome.towed($0)] } ?? []
    return speeding + idlingOutcomes + towOutcomes
  }

  // MARK: State over a restart

  var state: DrivingState? {
    let state = DrivingState(
      speeding: overspeed?.episode, idling: idling?.episode, isTowed: tow?.isReported ?? false)
    return state == DrivingState() ? nil : state
  }

  mutating func resume(_ state: DrivingState) {
    if let episode = state.speeding { overspeed?.resume(episode) }
    if let episode = state.idling { idling?.resume(episode) }
    if state.isTowed { tow?.resumeReported() }
  }
}
