import Quantities
import Records

/// Finds trips that no fix saw: recording paused at one place, and afterwards the device is stationary at another one.
///
/// Without a motion sensor a drive between two position checks leaves nothing else in the log. The trip is known by its
/// two ends alone. It is told once the device is stationary at the end, and only if no ordinary trip has recorded the
/// movement meanwhile: a drive that a position check meets on its way becomes an ordinary trip, unless what is left of it
/// is too short for one.
struct TripReconstruction: Equatable, Sendable {
  /// A fix that passed the filters, and the location that it is.
  struct Position: Equatable, Sendable {
    var sample: Sample
    var location: LocationRecord
  }

  /// A trip by its ends.
  struct Found: Equatable, Sendable {
    /// The last position before the movement.
    var origin: Position
    /// The first fix at the other end.
    var arrival: Sample
    /// The most accurate position there.
    var end: Position
    /// Straight line, m.
    var metres: Double
  }

  /// Metres beyond all doubt about both positions: below it a movement is no trip (``TripRules/minDistance``).
  static let leastDistance = TripRules().minDistance
  /// Both positions may be wrong by so many times their 68 % radii.
  static let certainty = 3.0
  /// A fix this soon after the one before belongs to what an ordinary trip sees (``FixRing/pause``).
  static let leastPause = FixRing.pause
  /// m/s; motion that a sensor tells explains no longer distance than this. 180 km/h.
  static let fastest = 50.0
  /// Fewer fixes at the other place may all be wrong.
  static let leastFixes = 3

  private struct Pending: Equatable {
    var origin: Position
    var arrival: Sample
    var end: Position
    var fixes: Int
  }

  private var last: Position?
  /// Recording has paused since ``last``.
  private var isPaused = false
  private var pending: Pending?

  /// The device was found elsewhere, and the end of the trip is not known yet.
  var isPending: Bool { pending != nil }

  /// Where recording paused, for the next start; nil while it goes on.
  var pausedPosition: Position? { isPaused && pending == nil ? last : nil }

  mutating func pause() { isPaused = last != nil }

  /// Goes on with a pause of an earlier run.
  mutating func resume(_ position: Position) {
    guard last == nil else { return }
    (last, isPaused) = (position, true)
  }

  /// A location of the log that is newer than the pause of an earlier run shows that recording had gone on since.
  mutating func heed(lastRecord: Timestamp?) {
    guard let last, last.sample.moment == nil, let paused = last.sample.timestamp, let lastRecord,
      lastRecord > paused
    else { return }
    self = TripReconstruction()
  }

  /// An ordinary trip has recorded the movement.
  mutating func drop() { pending = nil }

  mutating func forget(where isHidden: (LocationRecord) -> Bool) {
    let known = [last, pending?.origin, pending?.end].compactMap { $0 }
    if known.contains(where: { isHidden($0.location) }) { self = TripReconstruction() }
  }

  /// Takes a fix. `isCovered`: the movement that led here is part of a record already. `motionBegan` is when a sensor
  /// began to tell of motion; `reach` in metres is how far one place extends.
  mutating func take(_ position: Position, isCovered: Bool, motionBegan: Moment?, reach: Double) {
    defer { (last, isPaused) = (position, false) }
    guard pending == nil else { return follow(position, reach: reach) }
    guard isPaused, !isCovered, let last, Self.metres(from: last, to: position) != nil,
      let pause = position.sample.elapsed(since: last.sample), pause > Self.leastPause,
      !Self.isExplained(by: motionBegan, from: last, to: position)
    else { return }
    pending = Pending(origin: last, arrival: position.sample, end: position, fixes: 1)
  }

  private mutating func follow(_ position: Position, reach: Double) {
    guard var trip = pending else { return }
    trip.fixes += 1
    let sample = position.sample
    if sample.distance(to: trip.arrival) > reach + sample.uncertainty(with: trip.arrival) {
      (trip.arrival, trip.end) = (sample, position)
    } else if trip.end.sample.isWorse(than: sample) {
      trip.end = position
    }
    pending = trip
  }

  /// The device is stationary, and no ordinary trip runs: the trip that ends here. Nil if it is back where it was, or if
  /// too few fixes tell; those that are missing are waited for.
  mutating func end() -> Found? {
    guard let trip = pending, trip.fixes >= Self.leastFixes else { return nil }
    pending = nil
    guard let metres = Self.metres(from: trip.origin, to: trip.end),
      let duration = trip.arrival.elapsed(since: trip.origin.sample), duration > .zero
    else { return nil }
    return Found(origin: trip.origin, arrival: trip.arrival, end: trip.end, metres: metres)
  }

  /// Straight line between two positions that are clearly apart; nil for others.
  private static func metres(from a: Position, to b: Position) -> Double? {
    let metres = a.sample.distance(to: b.sample)
    return metres - certainty * a.sample.uncertainty(with: b.sample) >= leastDistance ? metres : nil
  }

  /// The device can have come from there since a sensor tells of motion: the receiver only took its time to a fix.
  private static func isExplained(by motionBegan: Moment?, from a: Position, to b: Position) -> Bool {
    guard let motionBegan, let moment = b.sample.moment else { return false }
    let seconds = max((moment - motionBegan).inSeconds, 0)
    return a.sample.distance(to: b.sample) <= seconds * fastest + certainty
      * a.sample.uncertainty(with: b.sample)
  }
}
