import Quantities

/// Dates the samples of a FIFO and measures the chip's true sampling rate.
///
/// The oscillator of a chip is up to 10 % off. Two facts are known: the number of samples since the count
/// began, and that the newest sample of a reading is at most one period old. The first gives the rate, more
/// exactly over time; the second prevents drift.
public struct SampleClock: Sendable {
  /// Maximum relative deviation of the true rate from the nominal one.
  public static let tolerance = 0.1
  /// Number of samples after which the count restarts, so that the rate follows the temperature.
  static let window = 4096
  /// Number of samples at which a new count has the same weight as the previous rate.
  static let trust = 100.0

  public let nominalRate: Double
  /// Best estimate of the rate in Hz.
  public private(set) var rate: Double

  /// The rate at the start of the count.
  private var priorRate: Double
  /// Start of the count, and the number of samples since then.
  private var anchor: Moment?
  private var counted = 0
  /// Time of the newest sample.
  private var newest: Moment?
  /// True if samples were dated before.
  private var hasDated = false

  /// `nominalRate` in Hz; 1 Hz if the value is invalid.
  public init(nominalRate: Double) {
    let sound = nominalRate.isFinite && nominalRate >= 0.01 ? nominalRate : 1
    self.nominalRate = sound
    (rate, priorRate) = (sound, sound)
  }

  /// Discards the time of the last sample, as after a pause of sampling; the rate is kept.
  public mutating func restart() {
    (anchor, counted, newest) = (nil, 0, nil)
  }

  /// Dates the samples of a reading; nil if it has none. `moment` is the time at which the fill level was
  /// read; each sample that arrived later is one period younger than the reading. A burst begins after the
  /// newest sample of the previous one. To ensure this, its newest sample may appear up to half a period
  /// younger than the reading, or younger by the present error of the rate.
  public mutating func date(_ reading: FIFOReading, drainedAt moment: Moment) -> AccelerationBurst? {
    let moment = reading.waiting > 0 ? moment - .seconds(Double(reading.waiting) / rate) : moment
    let count = reading.samples.count
    guard count > 0 else {
      // The next samples do not continue the previous ones, but the number missing between them can still be
      // derived.
      if reading.isAfterGap { (anchor, counted) = (nil, 0) }
      return nil
    }
    guard let previous = newest, let began = anchor, !reading.isAfterGap,
      Self.couldFollow(count, after: (moment - previous).inSeconds, at: rate)
    else { return restartSeries(with: reading.samples, at: moment) }

    let (sum, overflow) = counted.addingReportingOverflow(count)
    counted = overflow ? count : sum
    learn(since: began, until: moment)
    let period = Duration.seconds(1 / rate)
    // At most one period old, and not in the future.
    let latest = min(max(previous + .seconds(Double(count) / rate), moment - period), moment)
    newest = latest
    let first = max(latest - .seconds(Double(count - 1) / rate), previous + period / 2)
    return AccelerationBurst(
      first: first, rate: rate, samples: reading.samples, isAfterGap: false, missing: 0)
  }

  private mutating func restartSeries(with samples: [Acceleration], at moment: Moment) -> AccelerationBurst {
    // The newest sample is between zero and one period old.
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

  /// True if this number of samples is possible in that time, given the tolerance of the rate.
  private static func couldFollow(_ count: Int, after seconds: Double, at rate: Double) -> Bool {
    let expected = seconds * rate
    let slack = 2 * tolerance / (1 - tolerance)
    return abs(expected - Double(count)) <= 1.5 + slack * Double(count)
  }
}
