/// A heading of the report, in the order of the cases.
public enum CheckGroup: String, CaseIterable, Sendable {
  case configuration = "Configuration"
  case logger = "Logger"
  case receiver = "Receiver"
  case buses = "Buses and clock"
  case storage = "Storage"
  case network = "Network"
  case power = "Power"
  case system = "System"
}

/// A check: a function from the facts about a system to a finding.
public struct Check: Sendable {
  /// The name of the check, in kebab case; a promise to scripts.
  public let id: String
  public let group: CheckGroup
  /// The sentence that describes the sound state.
  public let subject: String
  /// The advice for a fault, in one or two sentences.
  public let advice: String
  /// The checks whose errors make this one meaningless.
  public let prerequisites: [String]
  let find: @Sendable (SystemFacts) -> Finding

  init(
    _ id: String, _ group: CheckGroup, _ subject: String, advice: String, after prerequisites: [String] = [],
    _ find: @escaping @Sendable (SystemFacts) -> Finding
  ) {
    self.id = id
    self.group = group
    self.subject = subject
    self.advice = advice
    self.prerequisites = prerequisites
    self.find = find
  }
}
