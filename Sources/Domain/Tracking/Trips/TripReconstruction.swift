import GNSSProtocol
import Quantities
import Records

/// Finds trips without fixes: recording paused at one location, and afterwards the device is stationary at another
/// one.
///
/// Without a motion sensor a drive between two position checks leaves nothing else in the log. Only the two ends of
/// the trip are known. It is reported once the device is stationary at the end, and only if no ordinary trip has
/// recorded the movement. If a position check happens during the drive, the rest of it becomes an ordinary trip,
/// unless it is too short for one. Owned by ``Tracker``.
struct TripReconstruction: Equatable, Sendable {
  /// A fix that passed the filters, and its location record.
  struct Position: Equatable, Sendable {
    var observation: Observation
    var location: LocationRecord
  }

  /// A reconstructed trip.
  struct Found: Equatable, Sendable {
    /// The last position before the movement.
    var origin: Position
    /// The first fix at the other end.
    var arrival: Observation
    /// The most accurate position there.
    var end: Position
    /// Straight-line distance in metres.
    var metres: Double
  }

  /// Shortest distance in metres beyond the uncertainty of both positions (``TripRules/minDistance``).
  static let leastDistance = TripRules().minDistance
  /// Factor of both positions' 68 % accuracy that counts as uncertainty.
  static let certainty = 3.0
  /// Shortest pause before a reconstructed trip. A fix sooner after the previous one belongs to an ordinary trip
  /// (``FixRing/pause``).
  static let leastPause = FixRing.pause
  /// Highest speed in m/s by which motion of a sensor explains a distance: 180 km/h.
  static let fastest = 50.0
  /// Fixes required at the other end; fewer may all be wrong.
  static let leastFixes = 3

  private struct Pending: Equatable {
    var origin: Position
    var arrival: Observation
    var end: Position
    var fixes: Int
  }

  private var last: Position?
  /// True if recording has paused since ``last``.
  private var isPaused = false
  private var pending: Pending?

  /// True if the device was found elsewhere and the end of the trip is not known yet.
  var isPending: Bool { pending != nil }

  /// The pause position, for the next start; nil while recording.
  var pausedPosition: Position? { isPaused && pending == nil ? last : nil }

  mutating func pause() { isPaused = last != nil }

  /// Continues a pause of an earlier run.
  mutating func resume(_ position: Position) {
    guard last == nil else { return }
    (last, isPaused) = (position, true)
  }

  /// Discards the pause of an earlier run if the log has a newer location.
  mutating func reconcile(lastRecord: Timestamp?) {
    guard let last, last.observation.moment == nil, let paused = last.observation.timestamp, let lastRecord,
      lastRecord > paused
    else { return }
    self = TripReconstruction()
  }

  /// Discards the trip, because an ordinary trip has recorded the movement.
  mutating func drop() { pending = nil }

  mutating func forget(where isHidden: (LocationRecord) -> Bool) {
    let known = [last, pending?.origin, pending?.end].compactMap { $0 }
    if known.contains(where: { isHidden($0.location) }) { self = TripReconstruction() }
  }

  /// Processes a fix. `isCovered` is true if a record contains the movement already. `motionBegan` is the start of
  /// motion by a sensor; `reach` is the radius of one location in metres.
  mutating func take(_ position: Position, isCovered: Bool, motionBegan: Moment?, reach: Double) {
    defer { (last, isPaused) = (position, false) }
    guard pending == nil else { return follow(position, reach: reach) }
    guard isPaused, !isCovered, let last, Self.metres(from: last, to: position) != nil,
      let pause = position.observation.elapsed(since: last.observation), pause > Self.leastPause,
      !Self.isExplained(by: motionBegan, from: last, to: position)
    else { return }
    pending = Pending(origin: last, arrival: position.observation, end: position, fixes: 1)
  }

  private mutating func follow(_ position: Position, reach: Double) {
    guard var trip = pending else { return }
    trip.fixes += 1
    let observation = position.observation
    if observation.distance(to: trip.arrival) > reach + observation.uncertainty(with: trip.arrival) {
      (trip.arrival, trip.end) = (observation, position)
    } else if trip.end.observation.isWorse(than: observation) {
      trip.end = position
    }
    pending = trip
  }

  /// Ends the trip when the device is stationary and no ordinary trip is running; nil if the device is back at the
  /// origin, or if too few fixes are available yet.
  mutating func end() -> Found? {
    guard let trip = pending, trip.fixes >= Self.leastFixes else { return nil }
    pending = nil
    guard let metres = Self.metres(from: trip.origin, to: trip.end),
      let duration = trip.arrival.elapsed(since: trip.origin.observation), duration > .zero
    else { return nil }
    return Found(origin: trip.origin, arrival: trip.arrival, end: trip.end, metres: metres)
  }

  /// The straight-line distance in metres of two positions that are clearly apart; nil for others.
  private static func metres(from a: Position, to b: Position) -> Double? {
    let metres = a.observation.distance(to: b.observation)
    return metres - certainty * a.observation.uncertainty(with: b.observation) >= leastDistance ? metres : nil
  }

  /// True if the device can have travelled the distance since a sensor reported motion: the receiver was only slow to
  /// get a fix.
  private static func isExplained(by motionBegan: Moment?, from a: Position, to b: Position) -> Bool {
    guard let motionBegan, let moment = b.observation.moment else { return false }
    let seconds = max((moment - motionBegan).inSeconds, 0)
    return a.observation.distance(to: b.observation) <= seconds * fastest + certainty
      * a.observation.uncertainty(with: b.observation)
  }
}
