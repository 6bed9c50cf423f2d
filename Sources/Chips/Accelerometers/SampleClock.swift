import Quantities

/// Dates the samples of a FIFO and learns at what rate the part really samples.
///
/// A part counts time by an oscillator of its own, up to 10 % off. Two things are known of it: how many samples came
/// since the count began, and that the newest of a reading is at most one period old when the reading is taken. The
/// first gives the rate, the longer the better; the second keeps the time from drifting off.
public struct SampleClock: Sendable {
  /// How far the true rate may lie from the nominal one, as a fraction.
  public static let tolerance = 0.1
  /// Samples over which the rate is counted before the count begins anew, so that it follows the temperature.
  static let window = 4096
  /// Samples whose count is believed as much as the rate so far.
  static let trust = 100.0

  public let nominalRate: Double
  /// Hz, as far as it is known.
  public private(set) var rate: Double

  /// The rate that the count began with.
  private var priorRate: Double
  /// When the count began, and the samples since then.
  private var anchor: Moment?
  private var counted = 0
  /// When the newest sample so far was taken.
  private var newest: Moment?
  /// Samples were dated before.
  private var hasDated = false

  /// `nominalRate` in Hz; taken as 1 Hz if it is none.
  public init(nominalRate: Double) {
    let sound = nominalRate.isFinite && nominalRate >= 0.01 ? nominalRate : 1
    self.nominalRate = sound
    (rate, priorRate) = (sound, sound)
  }

  /// Forgets when the last sample was, as after a pause of the part; the rate is kept.
  public mutating func restart() {
    (anchor, counted, newest) = (nil, 0, nil)
  }

  /// The samples of a reading with their time; nil where there are none. `moment` is when the fill level was read; what
  /// waits since then is younger than the reading by as many periods.
  /// A burst begins after the newest sample of the one before. So that it can, its own newest sample may seem to be up
  /// to half a period younger than the reading, or as much as the rate is still off by.
  public mutating func date(_ reading: FIFOReading, drainedAt moment: Moment) -> AccelerationBurst? {
    let moment = reading.waiting > 0 ? moment - .seconds(Double(reading.waiting) / rate) : moment
    let count = reading.samples.count
    guard count > 0 else {
      // What comes next does not continue what was, but how much is missing can still be told by then.
      if reading.isAfterGap { (anchor, counted) = (nil, 0) }
      return nil
    }
    guard let previous = newest, let began = anchor, !reading.isAfterGap,
      Self.couldFollow(count, after: (moment - previous).inSeconds, at: rate)
    else { return beginAnew(with: reading.samples, at: moment) }

    let (sum, overflow) = counted.addingReportingOverflow(count)
    counted = overflow ? count : sum
    learn(since: began, until: moment)
    let period = Duration.seconds(1 / rate)
    // At most one period old, and not yet to come.
    let latest = min(max(previous + .seconds(Double(count) / rate), moment - period), moment)
    newest = latest
    let first = max(latest - .seconds(Double(count - 1) / rate), previous + period / 2)
    return AccelerationBurst(
      first: first, rate: rate, samples: reading.samples, isAfterGap: false, missing: 0)
  }

  private mutating func beginAnew(with samples: [Acceleration], at moment: Moment) -> AccelerationBurst {
    // The newest is between none and one period old.
    let latest = moment - .seconds(0.5 / rate)
    let first = latest - .seconds(Double(samples.count - 1) / rate)
    let missing = newest.map { before in
      Int(max(0, min((first - before).inSeconds * rate - 1, 1e9)).rounded())
    }
    defer { hasDated = true }
    priorRate = rate
    (anchor, counted, newest) = (moment, 0, latest)
    return AccelerationBurst(
      first: first, rate: rate, samples: samples, isAfterGap: hasDated, missing: missing)
  }

  private mutating func learn(since began: Moment, until moment: Moment) {
    let elapsed = (moment - began).inSeconds
    guard elapsed > 0 else { return }
    let samples = Double(counted)
    let measured = min(
      max(samples / elapsed, nominalRate * (1 - Self.tolerance)), nominalRate * (1 + Self.tolerance))
    rate = (priorRate * Self.trust + measured * samples) / (Self.trust + samples)
    if counted >= Self.window {
      priorRate = rate
      (anchor, counted) = (moment, 0)
    }
  }

  /// Whether so many samples are what can have been taken in that time, given that the rate may be off either way.
  private static func couldFollow(_ count: Int, after seconds: Double, at rate: Double) -> Bool {
    let expected = seconds * rate
    let slack = 2 * tolerance / (1 - tolerance)
    return abs(expected - Double(count)) <= 1.5 + slack * Double(count)
  }
}
