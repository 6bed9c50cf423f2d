import Quantities

/// Combines the readings of several steps that empty one FIFO, so that all samples are dated together by the
/// time of the last reading.
struct FIFOAssembler {
  /// A reading and the time at which its fill level was read.
  typealias Dated = (reading: FIFOReading, moment: Moment)

  private var begun: Dated?

  /// True if samples of the present readings are still in the FIFO.
  var isInProgress: Bool { begun != nil }

  /// Adds a reading and returns what is complete, oldest first. If a chip keeps reporting further samples,
  /// the collection ends at 1.25 times the `capacity` of the FIFO.
  mutating func take(_ part: FIFOReading, at moment: Moment, capacity: Int) -> [Dated] {
    var complete: [Dated] = []
    if part.isAfterGap, let before = takePartial() { complete.append(before) }
    var reading = part
    if let before = begun?.reading {
      reading.samples = before.samples + part.samples
      reading.isOverrun = before.isOverrun
    }
    let isLast =
      part.waiting <= 0 || part.samples.isEmpty || reading.samples.count >= capacity + capacity / 4
    begun = isLast ? nil : (reading, moment)
    if isLast { complete.append((reading, moment)) }
    return complete
  }

  /// Ends the collection and returns the readings so far.
  mutating func takePartial() -> Dated? {
    defer { begun = nil }
    return begun
  }
}
