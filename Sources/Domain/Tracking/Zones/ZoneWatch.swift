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
  /// The first fix on this side; for an inferred crossing, the first fix beyond the zone.
  private(set) var crossedAt: Observation?
  private var hasDwelt = false
  private var pending: Pending?
  private var last: Observation?

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

  /// The side that a single fix shows; nil between both borders, and for a fix that is too inaccurate.
  private func shown(by observation: Observation, isStable: Bool) -> Side? {
    guard isStable, observation.radius <= zone.mostAccuracy else { return nil }
    let distance = zone.shape.distance(from: observation.coordinate)
    if distance <= 0 { return .inside }
    return distance - observation.radius > zone.frame ? .outside : nil
  }

  mutating func take(_ observation: Observation, isStable: Bool, now: Moment) -> [Outcome] {
    guard let shown = shown(by: observation, isStable: isStable) else {
      // Between both borders the old side holds.
      if isStable, observation.radius <= zone.mostAccuracy { pending = nil }
      return dwelt(now: now)
    }
    var outcomes: [Outcome] = []
    if shown == .outside, side == .outside, pending == nil, let last,
      passedThrough(from: last, to: observation)
    {
      outcomes = [.entered(isInferred: true), .left(isInferred: true)]
      crossedAt = observation
    }
    last = observation
    guard shown != side else {
      pending = nil
      return outcomes + dwelt(now: now)
    }
    guard let waiting = pending, waiting.side == shown else {
      pending = Pending(side: shown, first: observation, receivedAt: now)
      return side == nil || zone.verification == .zero ? outcomes + cross(to: shown, now: now) : outcomes
    }
    guard let lasted = observation.elapsed(since: waiting.first), lasted >= zone.verification else {
      return outcomes
    }
    return outcomes + cross(to: shown, now: now)
  }

  private mutating func cross(to new: Side, now: Moment) -> [Outcome] {
    let isFirst = side == nil
    side = new
    crossedAt = pending?.first
    pending = nil
    hasDwelt = false
    insideSince = new == .inside ? now : nil
    switch new {
    case .inside: return isFirst && !zone.announcesFirst ? [] : [.entered(isInferred: false)]
    case .outside: return isFirst ? [] : [.left(isInferred: false)]
    }
  }

  /// True if the line between two sparse fixes crosses the zone deeper than their uncertainty.
  private func passedThrough(from: Observation, to: Observation) -> Bool {
    let length = to.distance(to: from)
    guard length > zone.shape.reach / 4, length < 200_000,
      from.coordinate.distance(to: zone.shape.centre) <= length + zone.shape.reach
    else { return false }
    return zone.shape.deepest(from: from.coordinate, to: to.coordinate).distance < -to.uncertainty(with: from)
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
    let verified = pending.map { $0.receivedAt + zone.verification }
    guard let dwell = zone.dwell, let since = insideSince, side == .inside, !hasDwelt else { return verified }
    return min(verified ?? since + dwell, since + dwell)
  }

  mutating func handleTimeout(now: Moment) -> [Outcome] {
    var outcomes: [Outcome] = []
    if let waiting = pending, now >= waiting.receivedAt + zone.verification {
      outcomes = cross(to: waiting.side, now: now)
    }
    return outcomes + dwelt(now: now)
  }
}
