/// What a test of a destination found, step by step; nothing was sent for it.
public struct ProbeReport: Equatable, Sendable {
  public enum Step: String, Sendable, CaseIterable {
    case name, connection, encryption, token, answer, directory
  }

  public enum Finding: String, Sendable {
    case good
    /// The server does not tell without being sent a record.
    case untold
    case bad
  }

  public struct Line: Equatable, Sendable {
    public var step: Step
    public var finding: Finding
    /// For people; the remedy where it is bad.
    public var words: String
  }

  public private(set) var lines: [Line] = []

  public init() {}

  public var isGood: Bool { !lines.contains { $0.finding == .bad } }

  public mutating func add(_ step: Step, _ finding: Finding, _ words: String) {
    lines.append(Line(step: step, finding: finding, words: words))
  }
}
