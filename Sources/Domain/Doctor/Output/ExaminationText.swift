extension Examination {
  /// The report for a terminal. `isVerbose` adds what each check without a fault looks at.
  public func text(isVerbose: Bool = false) -> String {
    let width = results.map(\.id.count).max() ?? 0
    var lines: [String] = []
    for group in CheckGroup.allCases {
      let rows = results.filter { $0.group == group }
      guard !rows.isEmpty else { continue }
      lines.append(group.rawValue)
      for row in rows {
        let gap = String(repeating: " ", count: width - row.id.count + 2)
        lines.append("  \(Self.sign(row.finding)) \(row.id)\(gap)\(row.finding.evidence)")
        if let complaint = row.finding.complaint {
          lines.append("      \(complaint.meaning)")
          for (index, remedy) in complaint.remedies.enumerated() {
            lines.append("      \(index == 0 ? "fix:" : "or: ") \(remedy)")
          }
        } else if isVerbose {
          lines.append("      \(row.subject)")
        }
      }
      lines.append("")
    }
    return (lines + [summary]).joined(separator: "\n")
  }

  /// The last line of the report, as in "31 ok, 2 warnings, 1 error".
  public var summary: String {
    let (warnings, errors) = (count("warning"), count("error"))
    return
      "\(count("ok")) ok, \(warnings) warning\(warnings == 1 ? "" : "s"), \(errors) error\(errors == 1 ? "" : "s")"
  }

  private static func sign(_ finding: Finding) -> String {
    switch finding {
    case .ok: "✓"
    case .warning: "!"
    case .error: "✗"
    case .skipped: "–"
    }
  }
}
