import Database
import FoundationEssentials
import Quantities
import Settings
import Store
import SystemLoop

/// `outrider why`: each stretch without a location, and why there is none.
enum WhyCommand: Command {
  static let name = "why"
  static let summary = "explain why points are missing, gap by gap"
  static let help = """
    Usage: outrider why [--since TIME] [--longer DURATION] [--events] [--json] [--config FILE] [--board NAME|FILE]
                        [--set KEY=VALUE]…

    Reads the log, whether the logger runs or not, and explains each pause between two locations in one sentence, from
    the events inside the pause: the receiver slept by plan, fixes were rejected by which filter with which last value,
    receiver or storage failed, the logger did not run. Rejections are counted over ten minutes: if nothing else explains
    a pause, those that are reported up to ten minutes after it are named as possible. What rules leave out is logged once
    an hour, and is the reason for that hour or until the settings change. Times are those of the clock on the wall, with
    their zone. If there is no location at all, the events are listed instead.

      --since TIME      from then on; the last 24 hours of the log without it
                        \(SinceOption.help); counted back from the newest record
                        if that is later than this machine's clock
      --longer DURATION only pauses longer than this (default 2m)
      --events          list the events of each pause, too
      --json            one object a line: from, to, seconds, metres, sentence, reasons, perhaps; times in UTC
    \(ConfigurationFiles.optionHelp)
    """

  static func run(_ words: ArraySlice<String>) throws -> Int32 {
    let arguments = try Arguments(
      words, options: ConfigurationFiles.options + ["--since", "--longer"], flags: ["--json", "--events"])
    try arguments.checkOperands(atMost: 0)
    let since = arguments.value("--since")
    if let since { _ = try SinceOption(since, now: SystemClock.timestamp()) }
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
    do {
      try tell(
        configuration, since: since, longest: longest, asJSON: arguments.has("--json"),
        withEvents: arguments.has("--events"))
    } catch let error as DatabaseError {
      throw CheckRequest.explained(error, in: configuration.storage.directory)
    }
    return 0
  }

  private static func tell(
    _ configuration: Configuration, since: String?, longest: Duration, asJSON: Bool,
    withEvents: Bool
  ) throws {
    let reader = try LogReader(directory: configuration.storage.directory)
    let status = try reader.status()
    let ends = [status.newestLocation?.record.time, status.newestEvent?.record.time].compactMap { $0 }
    let end = ends.max()
    let from: Timestamp?
    if let since {
      let clock = SystemClock.timestamp()
      from = try SinceOption(since, now: end.map { max($0, clock) } ?? clock).time
    } else {
      from = end.map { $0 + .seconds(-86_400) }
    }
    try tell(
      reader, from: from, through: end, longest: longest, asJSON: asJSON,
      withEvents: withEvents, hasPrivacyZones: !configuration.privacyZones.isEmpty)
  }

  private static func tell(
    _ reader: LogReader, from: Timestamp?, through end: Timestamp?, longest: Duration, asJSON: Bool,
    withEvents: Bool, hasPrivacyZones: Bool
  ) throws {
    var search = GapSearch(longest: longest)
    var found = 0
    let tell: ([GapSearch.Gap]) -> Void = { gaps in
      for gap in gaps {
        found += 1
        let text =
          asJSON
          ? [json(gap, hasPrivacyZones: hasPrivacyZones)]
          : lines(gap, withEvents: withEvents, hasPrivacyZones: hasPrivacyZones)
        text.forEach(Console.print)
      }
    }
    try reader.read(from: from ?? Timestamp(milliseconds: 0)) { stored in
      if let from, let time = stored.record.time, time < from { return true }
      tell(search.take(stored.record))
      return true
    }
    tell(search.finish(at: end))
    guard !asJSON else { return }
    if found == 0 { withoutGap(search, longest: longest, since: from).forEach(Console.print) }
    if search.undated > 0 { Console.print("\(search.undated) locations have no date yet and are left out") }
  }

  /// What is said where no gap was found: that there is none, or that there is no location to find one behind.
  static func withoutGap(
    _ search: GapSearch, longest: Duration, since: Timestamp?, clock: WallClock = WallClock()
  ) -> [String] {
    let span = since.map { " since \(clock.text($0))" } ?? ""
    guard search.locations == 0 else {
      return ["no pause longer than \(StatusText.duration(longest.inSeconds))\(span)"]
    }
    let head = "no location with a date\(span)"
    guard !search.said.isEmpty else { return ["\(head); the log does not say why"] }
    return ["\(head); what the log says:"] + lines(search.said, more: search.unsaid, clock)
  }

  private static func lines(_ reasons: [GapSearch.Reason], more: Int, _ clock: WallClock) -> [String] {
    reasons.map { reason in
      let time =
        reason.time.isEmpty ? "(no date yet)" : Timestamp(iso8601: reason.time).map(clock.text) ?? reason.time
      return "  \(time) \(reason.kind)\(reason.detail.isEmpty ? "" : ": \(reason.detail)")"
    } + (more > 0 ? ["  and \(more) more events"] : [])
  }

  /// One line: from when to when, how long, how far, and why; with the events, if they are wanted.
  static func lines(
    _ gap: GapSearch.Gap, withEvents: Bool = false, hasPrivacyZones: Bool = false,
    clock: WallClock = WallClock()
  ) -> [String] {
    var head = clock.text(gap.from)
    if let to = gap.to {
      head += " to \(clock.text(to)), \(StatusText.duration((to - gap.from).inSeconds))"
      if let metres = gap.metres { head += ", \(distance(metres, in: (to - gap.from).inSeconds))" }
    } else {
      head += ": no location since"
    }
    let sentence = GapSentence(gap, clock: clock, hasPrivacyZones: hasPrivacyZones).text
    return ["\(head): \(sentence)"] + (withEvents ? lines(gap.reasons, more: gap.more, clock) : [])
  }

  /// m/s; nothing that carries the device is faster.
  private static let fastest = 350.0

  private static func distance(_ metres: Double, in seconds: Double) -> String {
    metres > fastest * max(seconds, 1)
      ? "from one place to another that cannot be reached in that time" : UnitSystem.metric.distance(metres)
  }

  private struct Row: Encodable {
    var from: String
    var to: String?
    var seconds: Double?
    var metres: Double?
    var sentence: String
    var perhaps: GapSearch.Reason?
    var reasons: [GapSearch.Reason]
  }

  static func json(_ gap: GapSearch.Gap, hasPrivacyZones: Bool = false) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let row = Row(
      from: gap.from.iso8601(), to: gap.to?.iso8601(), seconds: gap.to.map { ($0 - gap.from).inSeconds },
      metres: gap.metres.map { ($0 * 10).rounded() / 10 },
      sentence: GapSentence(gap, clock: WallClock { _ in .zero }, hasPrivacyZones: hasPrivacyZones).text,
      perhaps: gap.perhaps, reasons: gap.reasons)
    return (try? encoder.encode(row)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
  }
}
