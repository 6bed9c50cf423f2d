import Database
import FoundationEssentials
import History
import Quantities
import Settings
import Store
import System

/// `outrider why`: explains the gaps between locations.
enum WhyCommand: Command {
  static let name = "why"
  static let group = CommandGroup.query
  static let summary = "explain the gaps in the track"
  static let description = CommandDescription(
    text: [
      """
      Explains each gap between two locations in one sentence, from the events of the log. It also works \
      while the logger is stopped.
      """,
      """
      Reasons include a sleeping receiver, rejected fixes with the filter and its last value, faults of \
      receiver or storage, and a stopped logger. Rejections are counted over ten minutes. If a gap has \
      no other reason, rejections reported up to ten minutes later are named as possible. Locations that \
      recording rules skip are logged once an hour; the rule explains that hour. Times are local, with \
      their offset. A log without locations is shown by its events.
      """,
    ],
    options: [
      .value(
        "--since", "TIME",
        text: """
          start at this time, with a gap in progress (default: the last 24 hours of the log)
          \(SinceOption.help); an age counts from the newest record if that is later than the system clock
          """),
      .value("--longer", "DURATION", text: "only gaps longer than this (default: 2m)"),
      .flag("--events", text: "also list the events of each gap"),
      .flag(
        "--json",
        text: """
          print one object per line: from, to, seconds, metres, sentence, reasons, perhaps; UTC
          """),
    ] + ConfigurationFiles.options)

  static func run(_ words: ArraySlice<String>) throws -> Int32 {
    let arguments = try Arguments(words, description)
    try arguments.checkOperands(atMost: 0)
    let since = arguments.value("--since")
    if let since { _ = try SinceOption(since, now: SystemClock.timestamp()) }
    var longest = Duration.seconds(120)
    if let text = arguments.value("--longer") {
      guard let duration = Duration(settingText: text), duration > .zero else {
        throw Arguments.Misuse(message: "--longer: expected a duration such as 90s or 10m, got \"\(text)\"")
      }
      longest = duration
    }
    let configuration: Configuration
    do { configuration = try ConfigurationFiles(arguments).read() } catch {
      Console.complain("\(error)")
      return 2
    }
    do {
      try printGaps(
        configuration, since: since, longest: longest, asJSON: arguments.has("--json"),
        withEvents: arguments.has("--events"))
    } catch let error as DatabaseError {
      let directory = configuration.storage.directory
      if let advice = AccessAdvice(readingLogIn: directory) { throw advice }
      throw CheckRequest.explained(error, in: directory)
    }
    return 0
  }

  private static func printGaps(
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
    try printGaps(
      reader, from: from, through: end, longest: longest, asJSON: asJSON,
      withEvents: withEvents, hasPrivacyZones: !configuration.privacyZones.isEmpty)
  }

  private static func printGaps(
    _ reader: LogReader, from: Timestamp?, through end: Timestamp?, longest: Duration, asJSON: Bool,
    withEvents: Bool, hasPrivacyZones: Bool
  ) throws {
    let lead = try reader.lead(to: from)
    var search = GapSearch(longest: longest)
    var (found, undatedBefore) = (0, 0)
    let printGaps: ([GapSearch.Gap]) -> Void = { gaps in
      for gap in gaps where lead.floor.map({ gap.from >= $0 }) ?? true {
        found += 1
        let text =
          asJSON
          ? [json(gap, hasPrivacyZones: hasPrivacyZones)]
          : lines(gap, withEvents: withEvents, hasPrivacyZones: hasPrivacyZones)
        text.forEach(Console.print)
      }
    }
    try reader.read(after: lead.first) { stored in
      printGaps(search.take(stored.record))
      if stored.id <= lead.start { undatedBefore = search.undated }
      return true
    }
    printGaps(search.finish(at: end))
    guard !asJSON else { return }
    if found == 0 { withoutGap(search, longest: longest, since: from).forEach(Console.print) }
    let undated = search.undated - undatedBefore
    if undated > 0 { Console.print("ignored \(StatusText.counted(undated, "undated location"))") }
  }

  /// Returns the text for a log without a gap, or without a dated location.
  static func withoutGap(
    _ search: GapSearch, longest: Duration, since: Timestamp?, clock: WallClock = WallClock()
  ) -> [String] {
    let span = since.map { " since \(clock.text($0))" } ?? ""
    guard search.locations == 0 else {
      return ["no gap longer than \(StatusText.duration(longest.inSeconds))\(span)"]
    }
    let head = "no dated location\(span)"
    guard !search.possibleReasons.isEmpty else { return ["\(head); no reason in the log"] }
    return ["\(head); events of the log:"] + lines(search.possibleReasons, more: search.furtherReasons, clock)
  }

  private static func lines(_ reasons: [GapSearch.Reason], more: Int, _ clock: WallClock) -> [String] {
    reasons.map { reason in
      let time =
        reason.time.isEmpty ? "undated" : Timestamp(iso8601: reason.time).map(clock.text) ?? reason.time
      return "  \(time) \(reason.kind)\(reason.detail.isEmpty ? "" : ": \(reason.detail)")"
    } + (more > 0 ? ["  and \(more) more events"] : [])
  }

  /// Returns one line with the times, duration, distance and reason of a gap; optionally also its events.
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

  /// The highest plausible speed, in m/s.
  private static let fastest = 350.0

  private static func distance(_ metres: Double, in seconds: Double) -> String {
    metres > fastest * max(seconds, 1)
      ? "impossible distance for that time" : UnitSystem.metric.distance(metres)
  }

  static func json(_ gap: GapSearch.Gap, hasPrivacyZones: Bool = false) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let row = GapReport(gap, hasPrivacyZones: hasPrivacyZones)
    return (try? encoder.encode(row)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
  }
}
