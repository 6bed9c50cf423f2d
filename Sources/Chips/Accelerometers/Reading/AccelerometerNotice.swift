import Quantities

/// What an accelerometer gave, or what became of it.
public enum AccelerometerNotice: Equatable, Sendable {
  case burst(AccelerationBurst)
  /// Something moved while that was watched for.
  case moved
  /// It samples now.
  case sampling(Sampling)
  /// Samples were lost because they were read too late; at most one word an hour. `missing` were not taken note of
  /// since the last word, as far as that can be reckoned.
  case overrun(missing: Int)
  /// Samples were thrown away since the last word, for the part cannot have measured what came; at most one word an
  /// hour.
  case doubtful(samples: Int)
  /// The interrupt line is not used any more; the part is polled.
  case lineUnusable(LineFault)
  /// The part does not answer its own test force as it should. It is used all the same.
  case selfTestFailed(change: Acceleration, limits: SelfTestLimits)
  /// It does not answer, or another part does. It is looked for all the time.
  case lost(ChipError)
  case returned(after: Duration)
}

extension AccelerometerNotice {
  public enum LineFault: Hashable, Sendable {
    /// The part had seen movement and the line had not risen: it is not wired, or to another pin.
    case silent
    /// It rose again and again without movement: nothing drives it.
    case noisy
    /// Its GPIO chip does not answer any more.
    case gone
  }
}
