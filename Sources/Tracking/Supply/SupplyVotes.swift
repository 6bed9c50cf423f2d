import Quantities

/// What the supply says of motion: voltage and charger each with a delay before it counts and one before its end does.
///
/// One vote among others. Where nothing else has moved for long it is withdrawn, until a fix moves or it begins anew
/// after a long pause; where no gauge answers any more there is none.
struct SupplyVotes: Equatable, Sendable {
  /// Nil: the source can say nothing any more.
  struct Change: Equatable, Sendable {
    var source: MotionSource
    var isActive: Bool?
  }

  private struct Voice: Equatable {
    /// As the last reading has it; nil while unknown.
    var isHigh: Bool?
    var since = Moment.zero
    /// What was answered last, and since when.
    var told: Bool?
    var toldSince = Moment.zero
    /// Not believed for the time being.
    var isWornOut = false
  }

  private(set) var rules: SupplyRules
  private var reading: SupplyReading?
  private var voltage = Voice()
  private var charger = Voice()
  /// When something else last moved.
  private(set) var borneOut: Moment?

  init(rules: SupplyRules) { self.rules = rules }

  /// True while the supply says moving.
  var isMoving: Bool { voltage.told == true || charger.told == true }

  /// Nil for a gauge that does not answer.
  mutating func take(_ reading: SupplyReading?, now: Moment) -> [Change] {
    self.reading = reading
    let level = rules.voltage.map { voltage.isHigh == true ? $0 * SupplyRules.release : $0 }
    let isHigh = level.flatMap { level in reading?.voltage.map { $0 >= level } }
    Self.hear(isHigh, &voltage, now: now)
    Self.hear(rules.heedsCharger ? reading?.isCharging : nil, &charger, now: now)
    return judge(now: now)
  }

  /// Other rules: what the last reading says by them.
  mutating func adopt(_ rules: SupplyRules, now: Moment) -> [Change] {
    self.rules = rules
    return take(reading, now: now)
  }

  /// True where a moving fix is worth telling.
  var isHigh: Bool { voltage.isHigh == true || charger.isHigh == true }

  /// Something else moves: the supply is right. Only a fix brings a vote back that was withdrawn: a slammed door does not.
  mutating func bearOut(byFix: Bool = false, now: Moment) {
    borneOut = now
    guard byFix else { return }
    voltage.isWornOut = false
    charger.isWornOut = false
  }

  var nextTimeout: Moment? {
    Moment.earliest(due(voltage, after: rules.voltageHold), due(charger, after: SupplyRules.delay))
  }

  mutating func handleTimeout(now: Moment) -> [Change] { judge(now: now) }

  private static func hear(_ isHigh: Bool?, _ voice: inout Voice, now: Moment) {
    guard isHigh != voice.isHigh else { return }
    if isHigh == true, now - voice.since >= SupplyRules.patience { voice.isWornOut = false }
    voice.isHigh = isHigh
    voice.since = now
  }

  /// When what a voice says changes without another reading.
  private func due(_ voice: Voice, after hold: Duration) -> Moment? {
    guard let isHigh = voice.isHigh, !(isHigh && voice.isWornOut) else { return nil }
    guard voice.told == isHigh else { return voice.since + (isHigh ? hold : SupplyRules.delay) }
    return isHigh ? max(voice.toldSince, borneOut ?? voice.toldSince) + SupplyRules.patience : nil
  }

  private mutating func judge(now: Moment) -> [Change] {
    var changes: [Change] = []
    let ofVoltage = due(voltage, after: rules.voltageHold)
    if let change = Self.judge(&voltage, .voltage, due: ofVoltage, now: now) { changes.append(change) }
    let ofCharger = due(charger, after: SupplyRules.delay)
    if let change = Self.judge(&charger, .charger, due: ofCharger, now: now) { changes.append(change) }
    return changes
  }

  private static func judge(
    _ voice: inout Voice, _ source: MotionSource, due: Moment?, now: Moment
  ) -> Change? {
    var told = voice.told
    if voice.isHigh == nil {
      told = nil
    } else if let due, now >= due {
      // A rise that was told falls due again when nothing bears it out.
      voice.isWornOut = voice.told == true && voice.isHigh == true
      told = voice.isWornOut ? false : voice.isHigh
    }
    guard told != voice.told else { return nil }
    voice.told = told
    voice.toldSince = now
    return Change(source: source, isActive: told)
  }
}
