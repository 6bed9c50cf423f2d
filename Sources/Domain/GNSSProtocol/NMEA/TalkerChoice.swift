import Quantities

/// Chooses one of several sources that send positions on the same line.
///
/// A receiver uses several of the listed talkers (GN, GP, GL…), which are one source here; ``Talker/rank`` orders them.
/// Every unlisted talker is a source of its own. Two sources that send the same kind of position, such as RMC or GGA, are
/// two receivers, or one of them repeats the other: mixed, their positions would alternate. The source seen first is used,
/// until it was silent for ``silence``, by the time of arrival or by the times in the sentences of the other. A source that
/// sent no valid position for as long counts as silent while the other one sends valid ones.
struct TalkerChoice: Sendable {
  /// Silence after which the next source takes over.
  static let silence = Duration.seconds(5)
  private static let silenceInMilliseconds: Int32 = 5000
  /// The most sources that are remembered; sentences of further ones are ignored.
  private static let most = 4
  /// Stands for all listed talkers.
  private static let receiver: UInt16 = 0

  private struct Source: Sendable {
    let letters: UInt16
    /// The kinds of positions that it has sent.
    var kinds: UInt8 = 0
    /// The time of arrival of its last position.
    var last: Moment
    /// The time of day of its first sentence since a source before it was heard.
    var since: Int32?
    /// The time of arrival of its last valid position; that of its first position, or of the first unlisted talker, before.
    var lastValid: Moment
    /// The time of day of its first valid position since a source before it had a valid one.
    var validSince: Int32?

    init(letters: UInt16, now: Moment) {
      self.letters = letters
      (last, lastValid) = (now, now)
    }
  }

  /// What a sentence says about time and position: nothing, if it has none.
  struct Claim {
    /// The time of day in ms; nil without one.
    var time: Int32?
    /// True if the sentence calls its position valid.
    var isValid = false

    init() {}
    init<Message: EpochSentence>(_ message: Message) {
      (time, isValid) = (message.time?.millisecond, message.hasValidPosition)
    }
  }

  /// The sources, the one seen first at the front.
  private var sources: [Source] = []
  /// The talkers of the last sentences of two sources that send the same: the one in use and the one that is ignored.
  private(set) var rivals: Rivals?
  /// The listed talker that was heard last, for ``rivals``.
  private var listed: UInt16 = 0

  /// Two sources of positions on one line.
  struct Rivals: Equatable, Sendable {
    var used: UInt16
    var ignored: UInt16
  }

  /// True once an unlisted talker has sent: before, all sentences count.
  private(set) var isNeeded = false

  /// Notes a position of a listed talker, while there is no other source.
  @inline(__always)
  mutating func noteReceiver(_ kind: MessageKind, _ letters: UInt16, now: Moment) {
    listed = letters
    if sources.isEmpty { sources.append(Source(letters: Self.receiver, now: now)) }
    sources[0].kinds |= Self.bit(kind)
    sources[0].last = now
  }

  /// Returns true if a sentence counts.
  mutating func admits(
    _ kind: MessageKind, of talker: Talker, _ letters: UInt16, _ claim: Claim, now: Moment
  ) -> Bool {
    if talker == .unlisted { needChoice(now: now) } else { listed = letters }
    let name = talker == .unlisted ? letters : Self.receiver
    let bit = Self.bit(kind)
    guard let index = index(of: name, isPosition: bit != 0, now: now) else {
      return bit == 0 && countsWithoutPosition(kind, now: now)
    }
    if bit != 0 {
      sources[index].kinds |= bit
      sources[index].last = now
    }
    if let time = claim.time, sources[index].since == nil { sources[index].since = time }
    if claim.isValid {
      sources[index].lastValid = now
      if sources[index].validSince == nil { sources[index].validSince = claim.time }
    }
    let senior = sources[..<index].firstIndex { Self.isRival(sources[index].kinds, kind, $0.kinds) }
    guard let senior else {
      for later in sources.indices.dropFirst(index + 1) {
        if bit != 0 { sources[later].since = nil }
        if claim.isValid { sources[later].validSince = nil }
      }
      return true
    }
    guard isSilent(sources[senior], for: sources[index], claim, now: now) else {
      rivals = Rivals(used: shown(sources[senior].letters), ignored: shown(name))
      return false
    }
    // It takes the place; the other one is the newcomer when it returns.
    sources.remove(at: senior)
    rivals = nil
    return admits(kind, of: talker, letters, claim, now: now)
  }

  /// Notes an unlisted talker. Nobody looked at the validity of positions before the first one.
  private mutating func needChoice(now: Moment) {
    guard !isNeeded else { return }
    isNeeded = true
    for index in sources.indices { sources[index].lastValid = now }
  }

  /// True if a sentence counts whose source has sent no position. A clock must not contradict the date of another source.
  private func countsWithoutPosition(_ kind: MessageKind, now: Moment) -> Bool {
    kind != .zda
      || !sources.contains { $0.kinds & Self.bit(.rmc) != 0 && now - $0.last < Self.silence }
  }

  /// The position of a source; a new one is added if it sends a position. Nil if it has none.
  private mutating func index(of name: UInt16, isPosition: Bool, now: Moment) -> Int? {
    if let index = sources.firstIndex(where: { $0.letters == name }) { return index }
    guard isPosition, sources.count < Self.most else { return nil }
    sources.append(Source(letters: name, now: now))
    return sources.endIndex - 1
  }

  /// True if a source sent nothing for ``silence``, or nothing valid while the other one claims a valid position.
  private func isSilent(_ senior: Source, for source: Source, _ claim: Claim, now: Moment) -> Bool {
    if now - senior.last >= Self.silence { return true }
    if claim.isValid, now - senior.lastValid >= Self.silence { return true }
    guard let time = claim.time else { return false }
    return Self.isLong(from: source.since, to: time)
      || claim.isValid && Self.isLong(from: source.validSince, to: time)
  }

  /// True if ``silence`` lies between two times of day.
  private static func isLong(from since: Int32?, to time: Int32) -> Bool {
    guard let since else { return false }
    let step = EpochTime(printed: time).offset(from: EpochTime(printed: since))
    return step >= silenceInMilliseconds
  }

  private func shown(_ name: UInt16) -> UInt16 { name == Self.receiver ? listed : name }

  /// True if a source with these kinds of positions must not be mixed with one before it. A GLL has nothing that the
  /// other sentences do not have.
  private static func isRival(_ kinds: UInt8, _ kind: MessageKind, _ others: UInt8) -> Bool {
    kinds & others != 0 || others != 0 && (kinds == bit(.gll) || kind == .gll)
  }

  /// A bit for each kind of sentence with a position; 0 for the others.
  @inline(__always)
  private static func bit(_ kind: MessageKind) -> UInt8 {
    switch kind {
    case .rmc: 1
    case .gga: 2
    case .gns: 4
    case .gll: 8
    case _: 0
    }
  }
}
