/// Result of one step of reading a FIFO.
public struct FIFOReading: Hashable, Sendable {
  /// The samples, oldest first.
  public var samples: [Acceleration]
  /// True if samples were lost before these.
  public var isOverrun: Bool
  /// Number of samples still in the FIFO because one step could not read them all.
  public var waiting: Int
  /// Number of samples discarded because their values are impossible.
  public var doubtful: Int

  public init(samples: [Acceleration], isOverrun: Bool, waiting: Int = 0, doubtful: Int = 0) {
    self.samples = samples
    self.isOverrun = isOverrun
    self.waiting = waiting
    self.doubtful = doubtful
  }

  /// The reading with its samples discarded.
  var doubted: FIFOReading {
    FIFOReading(samples: [], isOverrun: isOverrun, waiting: waiting, doubtful: samples.count)
  }

  /// True if samples are missing between the previous ones and these.
  var isAfterGap: Bool { isOverrun || doubtful > 0 }
}
