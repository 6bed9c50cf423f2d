/// The result of one check.
public enum Finding: Equatable, Sendable {
  /// No fault; the evidence.
  case ok(String)
  case warning(Complaint)
  case error(Complaint)
  /// Not checked; the reason.
  case skipped(String)

  /// A fault: its evidence, its consequence and its remedies.
  public struct Complaint: Equatable, Sendable {
    public var evidence: String
    /// The consequence of the fault.
    public var meaning: String
    /// The lines to run or edit, the preferred one first.
    public var remedies: [String]

    public init(_ evidence: String, means meaning: String, fix remedies: [String]) {
      self.evidence = evidence
      self.meaning = meaning
      self.remedies = remedies
    }
  }

  static func warning(_ evidence: String, means meaning: String, fix remedies: String...) -> Finding {
    .warning(Complaint(evidence, means: meaning, fix: remedies))
  }

  static func error(_ evidence: String, means meaning: String, fix remedies: String...) -> Finding {
    .error(Complaint(evidence, means: meaning, fix: remedies))
  }

  /// The word for the result in JSON; a promise.
  public var word: String {
    switch self {
    case .ok: "ok"
    case .warning: "warning"
    case .error: "error"
    case .skipped: "skipped"
    }
  }

  /// The evidence, or the reason why the check was skipped.
  public var evidence: String {
    switch self {
    case .ok(let text), .skipped(let text): text
    case .warning(let complaint), .error(let complaint): complaint.evidence
    }
  }

  /// The complaint of a warning or an error; nil otherwise.
  public var complaint: Complaint? {
    switch self {
    case .warning(let complaint), .error(let complaint): complaint
    case .ok, .skipped: nil
    }
  }
}
