/// The reason for which the receiver schedule turns a fix into a record.
public enum KeepReason: String, Hashable, Sendable, CaseIterable {
  /// The first fix after the start of the program.
  case first
  /// The first fix that is good enough after motion began.
  case departure
  /// The last fix before the device became stationary.
  case arrival
  /// The recording interval of a moving device.
  case period
  /// The stored track would deviate from the true one without it.
  case track
  /// A position check, or a fix of a sparse policy, found the device elsewhere.
  case change
  /// The device was at this position until now.
  case stay
  /// A person, a program or an event requested it.
  case requested
}
