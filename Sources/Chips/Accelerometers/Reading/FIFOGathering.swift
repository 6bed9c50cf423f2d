import Quantities

/// Puts together what several steps read of a FIFO that one step cannot empty, so that its samples are dated as one: by
/// the moment at which it was empty.
struct FIFOGathering {
  /// A reading and when its fill level was read.
  typealias Dated = (reading: FIFOReading, moment: Moment)

  private var begun: Dated?

  /// Samples still wait that belong to what was read so far.
  var isUnderWay: Bool { begun != nil }

  /// Takes the next part; what is complete by that, oldest first. A part that says of ever more samples that they wait
  /// is cut short at a quarter more than the `capacity` of the FIFO.
  mutating func take(_ part: FIFOReading, at moment: Moment, capacity: Int) -> [Dated] {
    var complete: [Dated] = []
    if part.isAfterGap, let before = giveUp() { complete.append(before) }
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

  /// What was read so far, where nothing more comes.
  mutating func giveUp() -> Dated? {
    defer { begun = nil }
    return begun
  }
}
