import Quantities

/// Notices a receiver that repeats itself.
///
/// A position that stays the same to the last bit is no fault by itself: receivers hold it at standstill. It is
/// one while the receiver says that it moves, or while its time stands still as well.
struct FreezeJudge: Equatable, Sendable {
  /// m/s; above what a held position comes with.
  static let moving = 2.0
  /// For so long, which at ``moving`` is ten steps of the coarsest resolution (3 decimals of a minute, 1.9 m)…
  static let patience = Duration.seconds(10)
  /// …and so many epochs.
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

  /// What of a fix may not stand still.
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

  /// Nil while all is well; only epochs with a fix are judged.
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
      // A place that has only just come to rest decides nothing yet.
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
