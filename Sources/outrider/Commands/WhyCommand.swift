import FoundationEssentials
import Quantities
import Settings
import Store
import SystemLoop

/// `outrider why`: each stretch without a location, and why there is none.
enum WhyCommand: Command {
  static let name = "why"
  static let summary = "tell why points are missing, gap by gap"
  static let help = """
    Usage: outrider why [--since TIME] [--longer DURATION] [--json] [--config FILE] [--board NAME|FILE]

    Reads the log, whether the logger runs or not, and lists each pause between two locations with what the log says
    of it: the receiver rested by plan, fixes were rejected by which filter with which last value, receiver or storage
    failed, the logger did not run. Rejections are counted over ten minutes and may reach beyond the gap. A gap of which
    the log says nothing is shown as such.

      --since TIME      from then on; the last 24 hours of the log without it
                        \(SinceOption.help)
      --longer DURATION only pauses longer than this (default 2m)
      --json            one object a line: from, to, seconds, metres, reasons
    \(ConfigurationFiles.optionHelp)
    """

  static func run(_ words: ArraySlice<String>) throws -> Int32 {
    let arguments = try Arguments(
      words, options: ConfigurationFiles.options + ["--since", "--longer"], flags: ["--json"])
    try arguments.checkOperands(atMost: 0)
    let wanted = try arguments.value("--since").map { try SinceOption($0, now: SystemClock.timestamp()).time }
    var longest = Duration.seconds(120)
    if let text = arguments.value("--longer") {
      guard let duration = Duration(settingText: text), duration > .zero else {
        throw Arguments.Misuse(message: "--longer wants a duration such as 90s or 10m, not \"\(text)\"")
      }
      longest = duration
    }
    let configuration: Configuration
    do { configuration = try ConfigurationFiles(arguments).read() } catch {
      Console.complain("\(error)")
      return 2
    }
    let reader = try LogReader(directory: configuration.storage.directory)
    let status = try reader.status()
    let ends = [status.newestLocation?.record.time, status.newestEvent?.record.time].compactMap { $0 }
    let end = ends.max()
    let since = wanted ?? end.map { $0 + .seconds(-86_400) } ?? Timestamp(milliseconds: 0)
    var search = GapSearch(longest: longest)
    var found = 0
    let tell: ([GapSearch.Gap]) -> Void = { gaps in
      for gap in gaps {
        found += 1
        (arguments.has("--json") ? [json(gap)] : lines(gap)).forEach(Console.print)
      }
    }
    try reader.read(from: since) { stored in
      if stored.record.time.map({ $0 >= since }) ?? true { tell(search.take(stored.record)) }
      return true
    }
    tell(search.finish(at: end))
    if !arguments.has("--json") {
      if found == 0 {
        Console.print(
          search.locations == 0
            ? "no location with a date since \(since.iso8601())"
            : "no pause longer than \(StatusText.duration(longest.inSeconds)) since \(since.iso8601())")
      }
      if search.undated > 0 { Console.print("\(search.undated) locations have no date yet and are left out") }
    }
    return 0
  }

  static func lines(_ gap: GapSearch.Gap) -> [String] {
    var head = gap.from.iso8601()
    if let to = gap.to {
      head += " to \(to.iso8601()), \(StatusText.duration((to - gap.from).inSeconds))"
      if let metres = gap.metres { head += ", \(Int64(min(metres, 1e8).rounded())) m" }
    } else {
      head += ": no location since"
    }
    let reasons = gap.reasons.map { reason in
      "  \(reason.time) \(reason.kind)\(reason.detail.isEmpty ? "" : ": \(reason.detail)")"
    }
    let rest = gap.more > 0 ? ["  and \(gap.more) more events"] : []
    return [head] + (reasons.isEmpty ? ["  the log does not say why"] : reasons) + rest
  }

  private struct Row: Encodable {
    var from: String
    var to: String?
    var seconds: Double?
    var metres: Double?
    var reasons: [GapSearch.Reason]
  }

  static func json(_ gap: GapSearch.Gap) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let row = Row(
      from: gap.from.iso8601(), to: gap.to?.iso8601(), seconds: gap.to.map { ($0 - gap.from).inSeconds },
      metres: gap.metres.map { ($0 * 10).rounded() / 10 }, reasons: gap.reasons)
    return (try? encoder.encode(row)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
  }
}
