/// The progress of a client that reads a long response, seen in samples of the bytes that the kernel holds for it.
///
/// The library sees progress only when it may write again. The kernel asks for more when a third of its buffer is free on
/// TCP, three quarters on a Unix socket: a slow client needs minutes for that.
struct ReadingProgress: Equatable {
  /// True for a response in slices, which may last as long as the client reads.
  let isSliced: Bool
  private var held: Int
  private var heldAfterRun: Int
  private var produced = 0
  /// The number of bytes that the client has read since the start of its portion. A Unix socket counts the kernel's own bytes
  /// of each packet, too, so up to 45 KiB may be missing.
  private(set) var portionBytes = 0

  /// Begins with the bytes that the kernel holds for the client already.
  init(isSliced: Bool, held: Int) {
    (self.isSliced, self.held, heldAfterRun) = (isSliced, held, held)
  }

  /// Counts bytes of a response in slices that the library will write.
  mutating func addProduced(_ bytes: Int) { produced += bytes }

  /// Notes the bytes that the kernel holds after a run of the library, which may have written.
  mutating func noteRun(held: Int) { heldAfterRun = held }

  /// Takes the bytes that the kernel holds before the next run. Returns true if the client has read some since the last run.
  mutating func takeSample(held now: Int) -> Bool {
    // A buffer that fills is no debt of the client.
    portionBytes = max(portionBytes + held + produced - now, 0)
    (held, produced) = (now, 0)
    return now < heldAfterRun
  }

  mutating func beginPortion() { portionBytes = 0 }
}
