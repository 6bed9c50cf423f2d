/// What a FIFO gave in one step.
public struct FIFOReading: Hashable, Sendable {
  /// Oldest first.
  public var samples: [Acceleration]
  /// Samples were lost before these.
  public var isOverrun: Bool
  /// Samples that still wait: there were more than one step reads.
  public var waiting: Int
  /// Samples that were thrown away, for the part cannot have measured what came.
  public var doubtful: Int

  public init(samples: [Acceleration], isOverrun: Bool, waiting: Int = 0, doubtful: Int = 0) {
    self.samples = samples
    self.isOverrun = isOverrun
    self.waiting = waiting
    self.doubtful = doubtful
  }

  /// The same, with its samples thrown away.
  var doubted: FIFOReading {
    FIFOReading(samples: [], isOverrun: isOverrun, waiting: waiting, doubtful: samples.count)
  }

  /// Samples are missing between those before and these.
  var isAfterGap: Bool { isOverrun || doubtful > 0 }
}
