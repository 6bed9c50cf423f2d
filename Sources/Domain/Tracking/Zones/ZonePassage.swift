import Quantities

/// Detects that the device crossed a zone without being inside for the time that an entry requires: between two fixes, or
/// with few fixes inside.
///
/// A passage needs two proofs. The path from the last fix before the zone to the first one beyond it leads through the zone,
/// deeper than the fixes are uncertain. And the device is really beyond it: its speed explains the distance, or the next fix
/// is on that side, too. A position that jumps and returns crosses nothing.
struct ZonePassage: Equatable, Sendable {
  /// A passage, by its fixes.
  struct Passage: Equatable, Sendable {
    var before: Observation
    /// The deepest fix inside; nil if there was none.
    var inside: Observation?
    var beyond: Observation

    /// All its fixes.
    var fixes: [Observation] { [before, beyond] + (inside.map { [$0] } ?? []) }
  }

  /// A passage that the next fix proves or refutes.
  private struct Candidate: Equatable, Sendable {
    var passage: Passage
    var receivedAt: Moment
  }

  /// Longest distance in metres of two fixes between which a passage is inferred.
  static let longest = 200_000.0
  /// Factor by which a distance may exceed the one that the reported speed explains.
  static let speedTolerance = 1.5

  /// The last fix outside.
  private var before: Observation?
  /// Its distance to the border in metres.
  private var clearance = 0.0
  /// The deepest fix since, and its distance to the border in metres, negative.
  private var deepest: (observation: Observation, distance: Double)?
  private var candidate: Candidate?

  /// Processes a fix inside, `distance` metres from the border. Returns a passage that it proves.
  mutating func takeInside(_ observation: Observation, distance: Double) -> Passage? {
    let proven = confirm(by: observation)
    if distance < deepest?.distance ?? 0 { deepest = (observation, distance) }
    return proven
  }

  /// Processes a fix between both borders. Returns a passage that it proves.
  mutating func takeBetween(_ observation: Observation) -> Passage? { confirm(by: observation) }

  /// Processes a fix outside, `distance` metres from the border. Returns a passage that it proves.
  mutating func takeOutside(_ observation: Observation, distance: Double, of shape: ZoneShape, now: Moment)
    -> Passage?
  {
    let proven = confirm(by: observation)
    defer {
      (before, clearance) = (observation, distance)
      deepest = nil
    }
    guard let before, leads(from: before, to: observation, distance: distance, through: shape) else {
      return proven
    }
    let passage = Passage(before: before, inside: deepest?.observation, beyond: observation)
    if Self.isExplainedBySpeed(passage) { return passage }
    candidate = Candidate(passage: passage, receivedAt: now)
    return proven
  }

  /// Discards everything, because the side changed.
  mutating func forget() { self = ZonePassage() }

  /// The next deadline. A sleeping receiver provides no further fix.
  func nextTimeout(_ verification: Duration) -> Moment? { candidate.map { $0.receivedAt + verification } }

  mutating func handleTimeout(_ verification: Duration, now: Moment) -> Passage? {
    guard let due = nextTimeout(verification), now >= due else { return nil }
    defer { candidate = nil }
    return candidate?.passage
  }

  /// Proves the candidate by a fix that is nearer to its end than to its beginning; another one refutes it.
  private mutating func confirm(by observation: Observation) -> Passage? {
    guard let passage = candidate?.passage else { return nil }
    candidate = nil
    guard observation.distance(to: passage.beyond) < observation.distance(to: passage.before) else {
      // The device never was beyond the zone.
      (before, deepest) = (passage.before, nil)
      return nil
    }
    return passage
  }

  /// True if the way between two fixes outside leads through the zone: the straight line, or a fix inside, is deeper than
  /// the fixes are uncertain.
  private func leads(
    from before: Observation, to beyond: Observation, distance: Double, through shape: ZoneShape
  ) -> Bool {
    // Both distances are at most the real ones, and cheap.
    guard deepest != nil || before.coordinate.farthest(from: beyond.coordinate) >= clearance + distance else {
      return false
    }
    let length = beyond.distance(to: before)
    guard length < Self.longest else { return false }
    let uncertainty = beyond.uncertainty(with: before)
    if length >= clearance + distance,
      shape.deepest(from: before.coordinate, to: beyond.coordinate).distance < -uncertainty
    {
      return true
    }
    // A bent way: it must not come back to where it began.
    guard let deepest, deepest.distance < -deepest.observation.radius else { return false }
    return length > max(shape.reach, 3 * uncertainty)
  }

  private static func isExplainedBySpeed(_ passage: Passage) -> Bool {
    let (before, beyond) = (passage.before, passage.beyond)
    guard let seconds = beyond.elapsed(since: before)?.inSeconds, seconds > 0,
      let speed = [before.speed, beyond.speed].compactMap({ $0 }).min(), Odometer.isMoving(beyond)
    else { return false }
    let distance = beyond.distance(to: before) - beyond.uncertainty(with: before)
    return distance <= speed * seconds * speedTolerance
  }

  static func == (a: ZonePassage, b: ZonePassage) -> Bool {
    a.before == b.before && a.clearance == b.clearance && a.candidate == b.candidate
      && a.deepest?.observation == b.deepest?.observation
  }
}
