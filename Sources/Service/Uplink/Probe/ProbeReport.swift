import Quantities

/// The result of testing a destination, step by step. The test sends no record.
public struct ProbeReport: Equatable, Sendable {
  /// A step of the test; the raw values are part of the JSON output.
  public enum Step: String, Sendable, CaseIterable {
    case name, connection, encryption, token, answer, directory
  }

  /// The result of a step; the raw values are part of the JSON output.
  public enum Finding: String, Sendable {
    case good
    /// Unknown, because the server does not reveal it without a record.
    case untold
    case bad
  }

  /// One step with its result.
  public struct Line: Equatable, Sendable {
    public var step: Step
    public var finding: Finding
    /// The explanation for people, with the remedy of a failure.
    public var text: String
  }

  public private(set) var lines: [Line] = []
  /// The time when the first certificate of the server's chain expires; nil if unknown.
  public var certificateEnd: Timestamp?
  /// The name of the server's database; nil if the server does not give one.
  public internal(set) var server: String?

  public init() {}

  /// True if no step failed.
  public var isGood: Bool { !lines.contains { $0.finding == .bad } }

  /// The result in one sentence: the first fault, or what was found out last.
  public var sentence: String {
    if let fault = lines.first(where: { $0.finding == .bad }) {
      return "\(fault.step.rawValue): \(fault.text)"
    }
    let last = lines.filter { [.token, .answer, .directory].contains($0.step) }
    return last.map { "\($0.step.rawValue): \($0.text)" }.joined(separator: "; ")
  }

  public mutating func add(_ step: Step, _ finding: Finding, _ text: String) {
    lines.append(Line(step: step, finding: finding, text: text))
  }
}
