import Quantities

/// Detects a receiver that repeats its position or time.
///
/// An unchanged position alone is not a fault, because receivers hold it at standstill. It is a fault if the
/// receiver reports motion, or if its time does not change either.
struct FreezeJudge: Equatable, Sendable {
  /// Speed in m/s above any that comes with a held position.
  static let moving = 2.0
  /// Shortest duration of a fault. At ``moving`` it is ten steps of the coarsest resolution (3 decimals of a
  /// minute, 1.9 m).
  static let patience = Duration.seconds(10)
  /// Smallest number of epochs of a fault.
  static let epochs = 5

  private struct Run: Equatable {
    var since: Moment
    var count = 1
    func isLong(now: Moment) -> Bool { count >= epochs && now - since >= patience }
  }

  private var last: Seen?
  private var sameTime: Run?
  private var samePlace: Run?
  private var samePlaceInMotion: Run?
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

  mutating func restart() { self = FreezeJudge() }

  /// The evidence of a fault, else nil. Only epochs with a fix are checked.
  mutating func judge(_ fix: Fix, now: Moment) -> WatchEvidence? {
    guard fix.kind != .none else { return nil }
    let seen = Seen(fix)
    defer { last = seen }
    let timeStands =
      seen.hasTime && seen.timestamp == last?.timestamp && seen.millisecondOfDay == last?.millisecondOfDay
    let placeStands =
      Self.isSame(seen.latitude, last?.latitude) && Self.isSame(seen.longitude, last?.longitude)
    let speed = fix.speed ?? 0
    Self.note(timeStands, &sameTime, now)
    Self.note(placeStands, &samePlace, now)
    Self.note(placeStands && speed > Self.moving, &samePlaceInMotion, now)
    slowest = samePlaceInMotion == nil ? .infinity : min(slowest, speed)
    if let sameTime, sameTime.isLong(now: now) {
      guard let samePlace else { return .timeStopped(since: sameTime.since) }
      // A position that has only just stopped changing is no evidence yet.
      guard samePlace.isLong(now: now) else { return nil }
      return .sameInstant(since: max(sameTime.since, samePlace.since))
    }
    if let samePlaceInMotion, samePlaceInMotion.isLong(now: now) {
      return .samePosition(speed: slowest, since: samePlaceInMotion.since)
    }
    return nil
  }

  private static func note(_ stands: Bool, _ run: inout Run?, _ now: Moment) {
    if !stands {
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
