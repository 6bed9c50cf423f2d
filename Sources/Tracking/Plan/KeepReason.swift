/// Why the plan makes a fix a record.
public enum KeepReason: String, Hashable, Sendable, CaseIterable {
  /// The first fix after the start of the program.
  case first
  /// The first fix that is good enough after motion began.
  case departure
  /// The last fix before a rest.
  case arrival
  /// The rate at which a moving box is recorded.
  case period
  /// Without it the stored line would leave the true one.
  case track
  /// A sparse check found the box elsewhere.
  case change
  /// The place was held until now.
  case stay
  /// Somebody asked.
  case wanted
}
