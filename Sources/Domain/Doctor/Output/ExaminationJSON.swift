import Quantities

extension Examination {
  /// The report as one JSON object.
  public var json: String {
    var text: [UInt8] = Array(#"{"checks":["#.utf8)
    for (index, row) in results.enumerated() {
      text += Array((index > 0 ? "," : "").utf8)
      text += Array(#"{"id":"\#(row.id)","group":"#.utf8)
      text.appendJSONString(row.group.rawValue)
      text += Array(#","result":"\#(row.finding.word)","evidence":"#.utf8)
      text.appendJSONString(row.finding.evidence)
      if let complaint = row.finding.complaint {
        text += Array(#","meaning":"#.utf8)
        text.appendJSONString(complaint.meaning)
        text += Array(#","remedies":["#.utf8)
        for (index, remedy) in complaint.remedies.enumerated() {
          text += Array((index > 0 ? "," : "").utf8)
          text.appendJSONString(remedy)
        }
        text.append(UInt8(ascii: "]"))
      }
      text.append(UInt8(ascii: "}"))
    }
    let counts =
      #"],"ok":\#(count("ok")),"warnings":\#(count("warning")),"errors":\#(count("error")),"skipped":\#(count("skipped"))}"#
    return String(decoding: text + Array(counts.utf8), as: UTF8.self)
  }
}

extension Catalogue {
  /// The checks with group and subject as text, one line per check.
  public static var list: String {
    let width = ids.map(\.count).max() ?? 0
    return checks.map { check in
      "\(check.id)\(String(repeating: " ", count: width - check.id.count + 2))\(check.subject)"
    }.joined(separator: "\n")
  }

  /// The checks as one JSON object.
  public static var json: String {
    var text: [UInt8] = Array(#"{"checks":["#.utf8)
    for (index, check) in checks.enumerated() {
      text += Array((index > 0 ? "," : "").utf8)
      text += Array(#"{"id":"\#(check.id)","group":"#.utf8)
      text.appendJSONString(check.group.rawValue)
      text += Array(#","subject":"#.utf8)
      text.appendJSONString(check.subject)
      text.append(UInt8(ascii: "}"))
    }
    return String(decoding: text + Array("]}".utf8), as: UTF8.self)
  }

  /// The reference page in Markdown, without its title.
  public static var page: String {
    CheckGroup.allCases.map { group in
      let rows = checks.filter { $0.group == group }.map { check in
        "| `\(check.id)` | \(check.subject) | \(check.advice) |"
      }
      return "## \(group.rawValue)\n\n| Check | Sound state | What to do |\n| --- | --- | --- |\n"
        + rows.joined(separator: "\n") + "\n"
    }.joined(separator: "\n")
  }
}
