import Quantities

/// The desired configuration of the receiver, the one in force, and when it is sent again.
struct ConfigurationState: Sendable {
  /// Time without a restart after which the next one is configured without back-off.
  static let backOffResetTime = Duration.seconds(7200)

  /// The configuration that the receiver should have, and the one that was last sent.
  private(set) var desired = ReceiverConfiguration()
  private(set) var applied = ReceiverConfiguration()
  /// True if the desired `setUp` changed after the last configuration began.
  private(set) var isSetUpNew = false
  /// True if the receiver may have lost its settings; they are sent again when it is awake.
  private(set) var mayBeLost = false
  private var backOff = Backoff.repeatedSetUp
  private var nextSetUp: Moment
  /// True if a person requested the satellites once and the family has no poll: the receiver reports them
  /// until it has done so.
  private(set) var isAskedForSatellites = false
  private(set) var isCyclicModeRefused = false
  /// Back-off between attempts to return to continuous mode.
  private var powerBackOff = Backoff.search

  init(setUp: SetUp?, now: Moment) {
    desired.setUp = setUp
    nextSetUp = now
  }

  /// The interval between epochs in milliseconds, as configured; nil if the receiver's own is unchanged.
  var configuredInterval: Int? { (applied.setUp ?? desired.setUp)?.interval }

  /// Time between two epochs; `remembered` is that of an earlier session in milliseconds.
  func interval(remembered: Int?) -> Duration {
    let milliseconds = configuredInterval ?? remembered ?? 1000
    let interval = Duration.milliseconds(min(max(milliseconds, 1), 3_600_000))
    guard case .cyclic(let seconds)? = applied.setUp?.power else { return interval }
    return max(interval, .seconds(min(max(seconds, 1), 3600)))
  }

  /// The first setting that differs from the desired one.
  func openSubject(offersCyclicMode: Bool, canReport: Bool) -> Adjusting.Subject? {
    var desired = desired
    if !offersCyclicMode { desired.power = .continuous }
    if isAskedForSatellites { desired.reportsSatellites = true }
    return applied.firstDifference(from: desired, canReport: canReport)
  }

  // MARK: Requests

  mutating func request(setUp: SetUp) {
    desired.setUp = setUp
    isSetUpNew = setUp != applied.setUp
  }

  /// True if the request is new.
  mutating func request(satellites isRequested: Bool) -> Bool {
    guard isRequested != desired.reportsSatellites else { return false }
    desired.reportsSatellites = isRequested
    return true
  }

  mutating func request(satellitesOnce isRequested: Bool) { isAskedForSatellites = isRequested }

  /// True if the request is new.
  mutating func request(power: SetUp.Power) -> Bool {
    guard power != desired.power else { return false }
    desired.power = power
    powerBackOff.reset()
    return true
  }

  // MARK: The complete configuration

  /// Counts an attempt to send the complete configuration. Returns the time to which repeated attempts are
  /// postponed; nil if it may be sent now.
  mutating func postponement(now: Moment) -> Moment? {
    guard now >= nextSetUp else {
      mayBeLost = true
      return nextSetUp
    }
    if now - nextSetUp > Self.backOffResetTime { backOff.reset() }
    nextSetUp = now + backOff.next()
    return nil
  }

  mutating func begun() {
    isSetUpNew = false
    mayBeLost = false
  }

  /// Records the complete configuration that was sent; nil if the receiver's own is unchanged.
  mutating func finished(_ setUp: SetUp?) {
    applied.setUp = setUp
    if setUp != nil {
      applied.reportsSatellites = false
      applied.power = .continuous
    }
    isSetUpNew = desired.setUp != applied.setUp
  }

  /// Another receiver has another configuration.
  mutating func forgetApplied() { applied.setUp = nil }

  /// Allows the configuration to be sent without back-off, because the loss of settings is expected and not a
  /// fault.
  mutating func expectLoss(now: Moment) {
    mayBeLost = true
    backOff.reset()
    nextSetUp = now
  }

  // MARK: Changes while the receiver runs

  /// Records a finished adjustment. Returns the delay before the next attempt; nil if none is needed.
  mutating func record(_ adjusting: Adjusting, _ actions: inout [DialogueAction]) -> Duration? {
    switch adjusting.subject {
    case .satellites(let isOn):
      applied.reportsSatellites = isOn
      return nil
    case .power(.continuous):
      guard !adjusting.run.hasFailed else { return powerBackOff.next() }
      applied.power = .continuous
      powerBackOff.reset()
      return nil
    case .power(let power):
      // The receiver may have accepted some of the commands.
      applied.power = power
      if adjusting.run.hasFailed { refuseCyclicMode(command: adjusting.run.failed, &actions) }
      return nil
    }
  }

  /// The receiver may have lost its settings. Cyclic tracking ends if it fell silent in it.
  mutating func fellSilent(_ actions: inout [DialogueAction]) {
    mayBeLost = true
    if applied.power != .continuous { refuseCyclicMode(command: nil, &actions) }
  }

  /// The commands of a sleep include the return to continuous mode.
  mutating func returnedToContinuousMode() { applied.power = .continuous }

  private mutating func refuseCyclicMode(command: String?, _ actions: inout [DialogueAction]) {
    isCyclicModeRefused = true
    actions.append(.report(.cyclicModeFailed(command: command)))
  }

  /// Allows cyclic tracking, because the next device on this port may be another one.
  mutating func allowCyclicMode() { isCyclicModeRefused = false }
}
