import Quantities

/// The samples of one accelerometer: combines the readings of its FIFO, dates the samples and counts losses.
struct SampleStream {
  private(set) var losses = SampleLosses()
  private var clock: SampleClock?
  private var assembler = FIFOAssembler()
  /// True if samples were discarded since the last burst.
  private var hasDoubted = false

  /// Measured rate in Hz; nil before the first burst.
  var rate: Double? { clock?.rate }
  /// True if samples of the present readings are still in the FIFO.
  var isReading: Bool { assembler.isInProgress }

  /// Begins to sample at `nominalRate` in Hz. A measured rate is kept if the nominal one is the same.
  mutating func begin(nominalRate: Double) {
    if clock?.nominalRate == nominalRate {
      clock?.restart()
    } else {
      clock = SampleClock(nominalRate: nominalRate)
    }
  }

  /// Adds a reading of a FIFO of `capacity` samples, and appends notices about what is complete.
  mutating func take(
    _ part: FIFOReading, capacity: Int, now: Moment, _ notices: inout [AccelerometerNotice]
  ) {
    for reading in assembler.take(part, at: now, capacity: capacity) { date(reading, now: now, &notices) }
  }

  /// Ends the reading in progress: no further samples are added to it.
  mutating func endReading(now: Moment, _ notices: inout [AccelerometerNotice]) {
    if let reading = assembler.takePartial() { date(reading, now: now, &notices) }
  }

  /// Dates the samples of a FIFO reading and reports losses.
  private mutating func date(
    _ dated: FIFOAssembler.Dated, now: Moment, _ notices: inout [AccelerometerNotice]
  ) {
    let (reading, moment) = dated
    if reading.doubtful > 0 {
      hasDoubted = true
      if let unreported = losses.take(doubtful: reading.doubtful, now: now) {
        notices.append(.doubtful(samples: unreported))
      }
    }
    let burst = clock?.date(reading, drainedAt: moment)
    if let burst { notices.append(.burst(burst)) }
    // Discarded samples are also missing, but were not read too late.
    let missing = hasDoubted ? 0 : burst?.missing ?? 0
    if burst != nil { hasDoubted = false }
    if reading.isOverrun || missing > 0, let unreported = losses.take(missing: missing, now: now) {
      notices.append(.overrun(missing: unreported))
    }
  }
}
