import GNSSProtocol
import Quantities

/// Detects a receiver that repeats its position or time.
///
/// An unchanged position alone is not a fault, because receivers hold it at standstill. It is a fault if the
/// receiver reports motion, or if its time does not change either.
struct FreezeDetector: Equatable, Sendable {
  /// Speed in m/s above any that comes with a held position.
  static let moving = 2.0
  /// Shortest duration of a fault. At ``moving`` it is ten steps of the coarsest resolution (3 decimals of a
  /// minute, 1.9 m).
  static let leastDuration = Duration.seconds(10)
  /// Smallest number of epochs of a fault.
  static let epochs = 5

  private struct Run: Equatable {
    var since: Moment
    var count = 1
    func isLong(now: Moment) -> Bool { count >= epochs && now - since >= leastDuration }
  }

  private var last: Seen?
  private var sameTime: Run?
  private var samePosition: Run?
  private var samePositionInMotion: Run?
  private var slowest = Double.infinity

  /// The values of a fix that must change.
  private struct Seen: Equatable {
    var timestamp: Timestamp?
    var millisecondOfDay: Int32?
    var latitude: Double?
    var longitude: Double?

    init(_ fix: Fix) {
      timestamp = fix.timestamp
      millisecondOfDay = fix.millisecondOfDay
      latitude = fix.latitude
      longitude = fix.longitude
    }

    var hasTime: Bool { timestamp != nil || millisecondOfDay != nil }
  }

  mutating func restart() { self = FreezeDetector() }

  /// The evidence of a fault, else nil. Only epochs with a fix are checked.
  mutating func evaluate(_ fix: Fix, now: Moment) -> WatchEvidence? {
    guard fix.kind != .none else { return nil }
    let seen = Seen(fix)
    defer { last = seen }
    let isTimeUnchanged =
      seen.hasTime && seen.timestamp == last?.timestamp && seen.millisecondOfDay == last?.millisecondOfDay
    let isPositionUnchanged =
      Self.isSame(seen.latitude, last?.latitude) && Self.isSame(seen.longitude, last?.longitude)
    let speed = fix.speed ?? 0
    Self.record(isTimeUnchanged, &sameTime, now)
    Self.record(isPositionUnchanged, &samePosition, now)
    Self.record(isPositionUnchanged && speed > Self.moving, &samePositionInMotion, now)
    slowest = samePositionInMotion == nil ? .infinity : min(slowest, speed)
    if let sameTime, sameTime.isLong(now: now) {
      guard let samePosition else { return .timeStopped(since: sameTime.since) }
      // A position that has only just stopped changing is no evidence yet.
      guard samePosition.isLong(now: now) else { return nil }
      return .sameInstant(since: max(sameTime.since, samePosition.since))
    }
    if let samePositionInMotion, samePositionInMotion.isLong(now: now) {
      return .samePosition(speed: slowest, since: samePositionInMotion.since)
    }
    return nil
  }

  private static func record(_ isUnchanged: Bool, _ run: inout Run?, _ now: Moment) {
    if !isUnchanged {
      run = nil
    } else if run == nil {
      run = Run(since: now)
    } else {
      run?.count &+= 1
    }
  }

  private static func isSame(_ a: Double?, _ b: Double?) -> Bool {
    guard let a, let b, a.isFinite else { return false }
    return a.bitPattern == b.bitPattern
  }
}
