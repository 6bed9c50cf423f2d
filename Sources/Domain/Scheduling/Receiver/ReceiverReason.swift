import Quantities

/// The reason for the present state of the receiver, and what it waits for. Computed when a status is requested.
public struct ReceiverReason: Equatable, Sendable {
  /// One sentence with the evidence, as in "moving: accelerometer, 13.2 m/s".
  public var sentence: String
  /// The next start of a sleeping receiver without an event; nil while it is awake, and if only an event starts it.
  public var nextCheck: Moment?
  /// The purpose of that start.
  public var nextCheckPurpose: String?
  /// The time limit of the acquisition, or of the wait for a better fix; nil at any other time.
  public var acquisitionEnds: Moment?

  public init(_ sentence: String) { self.sentence = sentence }
}

extension ReceiverSchedule {
  /// The reason for the present state. `showsSpeed` is false in a privacy zone.
  package func reason(now: Moment, showsSpeed: Bool) -> ReceiverReason {
    var reason = ReceiverReason(sentence(now: now, showsSpeed: showsSpeed))
    switch phase {
    case .asleep(let sleep, let until):
      reason.nextCheck = until
      reason.nextCheckPurpose = sleep.purposeOfEnd
    case .searching, .settling: reason.acquisitionEnds = phaseDeadline
    case .dormant, .following, .reading: break
    }
    return reason
  }

  private func sentence(now: Moment, showsSpeed: Bool) -> String {
    switch phase {
    case .dormant: return "the settings require no locations"
    case .asleep(.stationary, _): return stationaryText
    case .asleep(.betweenFixes, _):
      return isMoving
        ? "asleep between two fixes; \(movingText(now: now, showsSpeed: showsSpeed))"
        : "asleep between two fixes"
    case .asleep(.withoutReception(let wakeReason), _):
      return "no reception: the search for \(goal(of: wakeReason)) failed"
    case .searching(let wakeReason, _):
      let goal = isPositionRequested ? "a requested position" : goal(of: wakeReason)
      let search = "search for \(goal)"
      return isMoving ? "\(search); \(movingText(now: now, showsSpeed: showsSpeed))" : search
    case .settling(_, let wait):
      guard let fix = lastFix else { return "the accuracy of the fix still improves" }
      if !fix.mayBeKept { return "a filter rejects the fixes, waiting for a better one" }
      return "the accuracy of the fix still improves: \(Int(clamping: fix.accuracy)) m, "
        + "required \(Int(clamping: wait.accuracy)) m"
    case .following:
      if isMoving { return movingText(now: now, showsSpeed: showsSpeed) }
      if isPositionRequested { return "a position is requested" }
      return policy.stationary == .asMoving
        ? "the settings let the receiver track while stationary" : "the end of the motion is being confirmed"
    case .reading: return "stationary: reads ephemerides before it sleeps"
    }
  }

  private func movingText(now: Moment, showsSpeed: Bool) -> String {
    var evidence = motion.activeSources(now: now).filter { $0 != .speed }.map(\.words)
    if showsSpeed, let fix = lastFix, fix.hasSpeed, now - fix.moment < .seconds(60) {
      evidence.append("\((fix.speed * 10).rounded() / 10) m/s")
    }
    return evidence.isEmpty ? "moving" : "moving: \(evidence.joined(separator: ", "))"
  }

  private var stationaryText: String {
    let quiet = motion.quietSources.map(\.words)
    if !quiet.isEmpty { return "stationary: no motion by \(quiet.joined(separator: ", "))" }
    return knownPosition == nil ? "stationary" : "stationary: the position is known by its Wi-Fi zone"
  }

  private func goal(of wakeReason: WakeReason) -> String {
    if searchesForTime { return "the time" }
    return switch wakeReason {
    case .first: "the first position"
    case .departure: "the position of a departure"
    case .moving: "the next position"
    case .arrival: "the position of an arrival"
    case .check: "a position check"
    }
  }
}

extension ReceiverSleep {
  fileprivate var purposeOfEnd: String {
    switch self {
    case .stationary: "position check"
    case .betweenFixes: "next fix while moving"
    case .withoutReception: "next search after the back-off"
    }
  }
}

extension MotionSource {
  /// The name in sentences for people.
  var words: String {
    switch self {
    case .accelerometer: "accelerometer"
    case .speed: "speed"
    case .displacement: "changed position"
    case .ignition: "ignition"
    case .voltage: "supply voltage"
    case .charger: "charger"
    case .network: "changed network"
    }
  }
}

extension Int {
  fileprivate init(clamping value: Double) {
    self = value.isFinite ? Int(Swift.min(Swift.max(value.rounded(), -1e9), 1e9)) : 0
  }
}

extension TrackingPolicy {
  /// The kind of the policy as the status names it: continuous, cyclic, error_bounded, sparse or off.
  public var kind: String {
    switch moving {
    case .none: "off"
    case .everySecond: usesCyclicMode ? "cyclic" : "continuous"
    case .within: "error_bounded"
    case .sparse: "sparse"
    }
  }
}
