import Quantities

/// Detects motion by the supply: voltage and charger, each with a start delay and a stop delay.
///
/// If nothing else has moved for long, the source stops counting. It counts again after a fix that moves, or if it
/// begins again after a long pause. Without a gauge there is no report. Owned by ``Tracker``.
struct SupplyVotes: Equatable, Sendable {
  /// A change of a source. Nil: the source can report nothing more.
  struct Change: Equatable, Sendable {
    var source: MotionSource
    var isActive: Bool?
  }

  private struct Voice: Equatable {
    /// The state by the last reading; nil while unknown.
    var isHigh: Bool?
    var since = Moment.zero
    /// The last reported state and its time.
    var told: Bool?
    var toldSince = Moment.zero
    /// True while the source does not count, because nothing else moved for a long time.
    var isWornOut = false
  }

  private(set) var rules: SupplyRules
  private var reading: SupplyReading?
  private var voltage = Voice()
  private var charger = Voice()
  /// The last time at which something else moved.
  private(set) var borneOut: Moment?

  init(rules: SupplyRules) { self.rules = rules }

  /// True while the supply reports motion.
  var isMoving: Bool { voltage.told == true || charger.told == true }

  /// Processes a reading; nil if the gauge does not respond.
  mutating func take(_ reading: SupplyReading?, now: Moment) -> [Change] {
    self.reading = reading
    let level = rules.voltage.map { voltage.isHigh == true ? $0 * SupplyRules.release : $0 }
    let isHigh = level.flatMap { level in reading?.voltage.map { $0 >= level } }
    Self.hear(isHigh, &voltage, now: now)
    Self.hear(rules.heedsCharger ? reading?.isCharging : nil, &charger, now: now)
    return judge(now: now)
  }

  /// Applies other rules to the last reading.
  mutating func adopt(_ rules: SupplyRules, now: Moment) -> [Change] {
    self.rules = rules
    return take(reading, now: now)
  }

  /// True if a moving fix would confirm the supply.
  var isHigh: Bool { voltage.isHigh == true || charger.isHigh == true }

  /// Registers that something else moves, which confirms the supply. Only a fix makes an ignored source count again; a
  /// slammed door does not.
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

  /// The time at which the reported state changes without another reading.
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
      // A reported rise expires if nothing confirms it.
      voice.isWornOut = voice.told == true && voice.isHigh == true
      told = voice.isWornOut ? false : voice.isHigh
    }
    guard told != voice.told else { return nil }
    voice.told = told
    voice.toldSince = now
    return Change(source: source, isActive: told)
  }
}
