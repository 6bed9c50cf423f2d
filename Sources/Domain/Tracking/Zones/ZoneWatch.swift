import Quantities

/// Tracks on which side of a zone's border the device is, with hysteresis and verification.
///
/// The first decision is a state, not an event. The state survives a restart: a restart inside is not another entry.
struct ZoneWatch: Equatable, Sendable {
  /// A side of the border. The raw values are stored.
  enum Side: String, Equatable, Sendable {
    case inside, outside
  }

  /// An entry, exit or dwell.
  enum Outcome: Equatable, Sendable {
    /// The device entered. `isInferred` is true if it crossed the border between two fixes.
    case entered(isInferred: Bool)
    case left(isInferred: Bool)
    case dwelt
  }

  private(set) var zone: Zone
  /// The side; nil before the first decision.
  private(set) var side: Side?
  /// Time of the entry on the boot clock; nil if it happened in an earlier run.
  private(set) var insideSince: Moment?
  /// The first fix on this side; for a passage, all its fixes.
  private(set) var crossedAt: [Observation] = []
  private var hasDwelt = false
  private var pending: Pending?
  /// Detects passages while the device is outside.
  private var passages = ZonePassage()

  private struct Pending: Equatable, Sendable {
    var side: Side
    var first: Observation
    var receivedAt: Moment
  }

  init(_ zone: Zone, side: Side? = nil) {
    self.zone = zone
    self.side = side
    hasDwelt = side == .inside
  }

  /// Applies a changed zone; if its shape changed, the side is unknown again.
  mutating func redraw(_ zone: Zone) {
    if zone.shape != self.zone.shape {
      self = ZoneWatch(zone)
    } else {
      self.zone = zone
    }
  }

  /// The place of the device that a single fix shows.
  private enum Place {
    case inside(distance: Double)
    /// Between both borders: the old side holds.
    case between
    case outside(distance: Double)
  }

  /// The place that a fix shows, with the distance to the border in metres; nil for a fix that is too inaccurate.
  private func place(of observation: Observation, isStable: Bool) -> Place? {
    guard isStable, observation.radius <= zone.mostAccuracy else { return nil }
    let distance = zone.shape.distance(from: observation.coordinate)
    if distance <= 0 { return .inside(distance: distance) }
    return distance - observation.radius > zone.frame ? .outside(distance: distance) : .between
  }

  mutating func take(_ observation: Observation, isStable: Bool, now: Moment) -> [Outcome] {
    guard let place = place(of: observation, isStable: isStable) else { return dwelt(now: now) }
    let passage: ZonePassage.Passage? =
      switch place {
      case _ where side != .outside: nil
      case .inside(let distance): passages.takeInside(observation, distance: distance)
      case .between: passages.takeBetween(observation)
      case .outside(let distance):
        passages.takeOutside(observation, distance: distance, of: zone.shape, now: now)
      }
    let outcomes = passage.map { passed($0) } ?? []
    switch place {
    case .inside: return outcomes + show(.inside, observation, now: now)
    case .between:
      pending = nil
      return outcomes + dwelt(now: now)
    case .outside: return outcomes + show(.outside, observation, now: now)
    }
  }

  /// Processes a fix that shows a side, which counts when it has lasted.
  private mutating func show(_ shown: Side, _ observation: Observation, now: Moment) -> [Outcome] {
    guard shown != side else {
      pending = nil
      return dwelt(now: now)
    }
    guard let waiting = pending, waiting.side == shown else {
      pending = Pending(side: shown, first: observation, receivedAt: now)
      return side == nil || zone.verification == .zero ? cross(to: shown, by: observation, now: now) : []
    }
    guard let lasted = observation.elapsed(since: waiting.first), lasted >= zone.verification else {
      return []
    }
    return cross(to: shown, by: observation, now: now)
  }

  private mutating func cross(to new: Side, by observation: Observation, now: Moment) -> [Outcome] {
    let isFirst = side == nil
    side = new
    crossedAt = pending.map { [$0.first] } ?? []
    pending = nil
    // The next passage begins with the fix that proves the exit.
    passages.forget()
    if new == .outside {
      _ = passages.takeOutside(
        observation, distance: zone.shape.distance(from: observation.coordinate), of: zone.shape, now: now)
    }
    hasDwelt = false
    insideSince = new == .inside ? now : nil
    switch new {
    case .inside: return isFirst && !zone.announcesFirst ? [] : [.entered(isInferred: false)]
    case .outside: return isFirst ? [] : [.left(isInferred: false)]
    }
  }

  /// Entry and exit of a passage; the side remains outside.
  private mutating func passed(_ passage: ZonePassage.Passage) -> [Outcome] {
    crossedAt = passage.fixes
    return [.entered(isInferred: true), .left(isInferred: true)]
  }

  private mutating func dwelt(now: Moment) -> [Outcome] {
    guard let dwell = zone.dwell, let since = insideSince, side == .inside, !hasDwelt, now - since >= dwell
    else {
      return []
    }
    hasDwelt = true
    return [.dwelt]
  }

  /// The next deadline. A sleeping receiver provides no second fix: the first one decides unless another contradicts
  /// it.
  var nextTimeout: Moment? {
    let verified = Moment.earliest(
      pending.map { $0.receivedAt + zone.verification }, passages.nextTimeout(zone.verification))
    guard let dwell = zone.dwell, let since = insideSince, side == .inside, !hasDwelt else { return verified }
    return min(verified ?? since + dwell, since + dwell)
  }

  mutating func handleTimeout(now: Moment) -> [Outcome] {
    var outcomes = passages.handleTimeout(zone.verification, now: now).map { passed($0) } ?? []
    if let waiting = pending, now >= waiting.receivedAt + zone.verification {
      outcomes += cross(to: waiting.side, by: waiting.first, now: now)
    }
    return outcomes + dwelt(now: now)
  }
}
