/// The findings of the selected checks, and the exit status that follows from them.
public struct Examination: Equatable, Sendable {
  /// The finding of one check.
  public struct Result: Equatable, Sendable {
    public var id: String
    public var group: CheckGroup
    public var subject: String
    public var finding: Finding
  }

  public private(set) var results: [Result] = []

  /// Runs the checks. A check whose prerequisite has an error is skipped.
  public init(_ facts: SystemFacts, _ selection: Selection = Selection()) {
    self.init(facts, selection, examined: nil)
  }

  /// Runs the checks that can run inside the logger. All others are skipped.
  public init(insideLogger facts: SystemFacts) {
    self.init(facts, Selection(), examined: Catalogue.insideLogger)
  }

  /// `examined` are the checks to run; nil for all.
  private init(_ facts: SystemFacts, _ selection: Selection, examined: Set<String>?) {
    // The first fault behind each check that has an error or was skipped because of one.
    var causes: [String: String] = [:]
    for check in Catalogue.checks {
      let cause = check.prerequisites.compactMap { causes[$0] }.first
      let finding: Finding =
        if let examined, !examined.contains(check.id) {
          .skipped("run outrider doctor")
        } else {
          cause.map { Finding.skipped("not checked: see \($0)") } ?? check.find(facts)
        }
      if let cause {
        causes[check.id] = cause
      } else if case .error = finding {
        causes[check.id] = check.id
      }
      guard selection.contains(check.id) else { continue }
      results.append(Result(id: check.id, group: check.group, subject: check.subject, finding: finding))
    }
  }

  public init(results: [Result]) { self.results = results }

  /// Returns the number of findings with a word of ``Finding/word``.
  public func count(_ word: String) -> Int { results.filter { $0.finding.word == word }.count }

  /// The exit status: 0, or 1 with an error, and with a warning if warnings count as errors.
  public func exitStatus(warningsAreErrors: Bool) -> Int32 {
    count("error") > 0 || warningsAreErrors && count("warning") > 0 ? 1 : 0
  }
}
