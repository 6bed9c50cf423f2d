import Quantities

/// The present stop of the device: whether it is stopped, and where.
struct PresentStop: Sendable {
  private(set) var detector: StopDetector
  /// True while the device is stopped; nil before the first decision.
  private(set) var isStopped: Bool?
  /// The position of the present stop.
  private(set) var position: Coordinate?
  /// True while the receiver sleeps with a stationary device: no fix shows that the stop continues.
  private var isUnseen = false
  /// True if the recording rules, or the position in records, depend on a stop, and not only on fixes.
  private var isRequired: Bool

  init(_ settings: TrackerSettings) {
    detector = StopDetector(reach: settings.stopRadius)
    isRequired = settings.dependsOnStop
  }

  mutating func apply(_ settings: TrackerSettings) {
    if detector.dwell.reach != settings.stopRadius { forgetFixes(settings) }
    isRequired = settings.dependsOnStop
  }

  mutating func add(_ observation: Observation, now: Moment) { detector.add(observation, now: now) }

  mutating func recall(_ observation: Observation) { detector.recall(observation) }

  mutating func setUnseen(_ isUnseen: Bool) {
    self.isUnseen = isUnseen
    if isUnseen { detector.confirmStop() }
  }

  /// Decides again. Returns true if the device has stopped or started moving.
  mutating func update(_ evidence: SensedMotion, now: Moment) -> Bool {
    let isStopped =
      self.isStopped == true
      ? detector.remainsStationary(for: StopDetector.stopped, evidence, now: now)
      : detector.isStationary(for: StopDetector.stopped, evidence, now: now)
    defer { self.isStopped = isStopped }
    guard isStopped != self.isStopped else { return false }
    position = isStopped ? detector.presentDwell?.centre : nil
    return self.isStopped != nil || isStopped
  }

  /// The time at which a stop without fixes counts; nil if nothing depends on it.
  func nextTimeout(_ evidence: SensedMotion) -> Moment? {
    guard isRequired, isUnseen, isStopped != true else { return nil }
    return detector.deadline(for: StopDetector.stopped, evidence)
  }

  /// Discards the fixes; the decision remains.
  mutating func forgetFixes(_ settings: TrackerSettings) {
    detector = StopDetector(reach: settings.stopRadius)
  }

  /// Begins again without any knowledge.
  mutating func reset(_ settings: TrackerSettings) {
    forgetFixes(settings)
    (isStopped, position) = (nil, nil)
  }
}
