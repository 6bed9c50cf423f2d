import Quantities

/// Derives the power level from the readings of a gauge.
///
/// It performs nothing itself: the owner, ``Tracker``, passes every reading, carries out the actions and calls
/// ``handleTimeout(now:)`` no earlier than ``nextTimeout``.
public struct PowerWatch: Sendable {
  /// An action that the owner carries out.
  public enum Action: Equatable, Sendable {
    case changed(from: PowerLevel)
    /// Record one last position before the receiver is off for long.
    case takeLastPosition
    /// The last position is recorded, or could not be: switch the receiver off.
    case switchReceiverOff
  }

  /// Timeout of the last position.
  static let lastPositionLimit = Duration.seconds(180)

  /// The limits; nil without a source for the supply: then the level is normal.
  public private(set) var rules: PowerRules?
  /// The present level.
  public private(set) var level = PowerLevel.normal
  /// The cause of the level.
  public private(set) var cause = PowerCause.unread
  private var lastPositionDue: Moment?
  /// The levels of the last readings, oldest first.
  private var proposals: [PowerRules.LevelProposal] = []
  private var lastRead: Moment?
  /// The last reading, and the time since which it is constant.
  private var constant: (reading: PowerReading, since: Moment)?
  /// True if the gauge is stuck.
  private var isGaugeStuck = false

  public init(_ rules: PowerRules?) { self.rules = rules }

  /// The level with its phase.
  public var stage: PowerStage {
    switch level {
    case .normal: .normal
    case .low: .low
    case .critical: lastPositionDue == nil ? .survival : .lastPosition
    }
  }

  /// The next deadline; nil if only a reading can change anything.
  public var nextTimeout: Moment? {
    guard level != .normal else { return nil }
    return Moment.earliest(lastPositionDue, lastRead.map { $0 + PowerRules.readingTimeout })
  }

  /// Restores the level of an earlier run, which recorded the last position already.
  public mutating func restore(_ level: PowerLevel, now: Moment) {
    guard rules != nil, lastRead == nil, level != .normal else { return }
    self.level = level
    cause = .restored
    lastRead = now
  }

  /// Applies other limits.
  public mutating func change(_ rules: PowerRules?, now: Moment) -> [Action] {
    guard rules != self.rules else { return [] }
    self.rules = rules
    proposals = []
    return rules == nil ? enter(.normal, .unread, now: now) : []
  }

  /// Processes a reading, changed or not.
  public mutating func take(_ reading: PowerReading, now: Moment) -> [Action] {
    guard let rules else { return [] }
    if constant?.reading != reading {
      constant = (reading, now)
      isGaugeStuck = false
    }
    guard !isGaugeStuck, let proposal = rules.proposal(reading, from: level) else { return [] }
    lastRead = now
    if let stuck = standstill(now: now) {
      isGaugeStuck = true
      return enter(.normal, .standstill(stuck), now: now)
    }
    proposals.append(proposal)
    if proposals.count > max(rules.confirmations, 1) { proposals.removeFirst() }
    guard proposal.level != level else {
      cause = proposal.cause
      return []
    }
    guard proposals.count >= max(rules.confirmations, 1) else { return [] }
    // The nearest level that all of them call for.
    let nearest =
      proposal.level > level
      ? proposals.min { $0.level < $1.level } : proposals.max { $0.level < $1.level }
    guard let nearest, nearest.level != level, (nearest.level > level) == (proposal.level > level) else {
      return []
    }
    let latest = proposals.last { $0.level == nearest.level } ?? nearest
    return enter(nearest.level, latest.cause, now: now)
  }

  /// Duration of constant readings below normal, if too long for a battery; otherwise nil.
  private func standstill(now: Moment) -> Duration? {
    guard level != .normal, let constant, constant.reading.state != .charging else { return nil }
    let longest = constant.reading.voltage == nil ? PowerRules.stuckCharge : PowerRules.stuckVoltage
    return now - constant.since >= longest ? now - constant.since : nil
  }

  /// Registers that a position was recorded.
  public mutating func positionKept(now: Moment) -> [Action] {
    guard lastPositionDue != nil else { return [] }
    lastPositionDue = nil
    return [.switchReceiverOff]
  }

  /// True while the last position is awaited.
  public var waitsForPosition: Bool { lastPositionDue != nil }

  public mutating func handleTimeout(now: Moment) -> [Action] {
    if let lastRead, level != .normal, now - lastRead >= PowerRules.readingTimeout {
      return enter(.normal, .silence(now - lastRead), now: now)
    }
    guard let due = lastPositionDue, now >= due else { return [] }
    return positionKept(now: now)
  }

  private mutating func enter(_ next: PowerLevel, _ cause: PowerCause, now: Moment) -> [Action] {
    self.cause = cause
    guard next != level else { return [] }
    let before = level
    level = next
    proposals = []
    lastPositionDue = next == .critical ? now + Self.lastPositionLimit : nil
    return [.changed(from: before)] + (next == .critical ? [.takeLastPosition] : [])
  }
}
