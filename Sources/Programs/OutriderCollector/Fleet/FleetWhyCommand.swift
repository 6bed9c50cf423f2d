import FleetStore
import History
import JSON
import PostgreSQL
import Quantities

/// `outrider-collector fleet why`: the gaps of a device with their reasons, by the search that `outrider why` uses on the
/// device.
enum FleetWhyCommand {
  /// A gap is longer than this.
  private static let longest = Duration.seconds(120)
  /// The period without `--from`: the end of the device's records.
  private static let usualPeriod = Duration.seconds(86_400)
  private static let portion = 1000

  static let action = FleetCommand.Action(
    name: "why", usage: "NAME [--from T] [--to T]", summary: "gaps of a device with their reasons",
    options: [
      CommandOption(
        name: "--from", placeholder: "TIME",
        text: "beginning (default: the last 24 hours of the device's records)"),
      CommandOption(name: "--to", placeholder: "TIME", text: "end (default: none)"),
    ], operands: 1...1
  ) { database, arguments in
    let name = arguments.operands[0]
    let found = try FleetCommand.found(
      try gaps(
        of: name, database, from: try FleetCommand.time(arguments, "--from"),
        to: try FleetCommand.time(arguments, "--to")), name)
    // The server does not know the device's privacy zones.
    let reports = found.map { GapReport($0, hasPrivacyZones: false) }
    guard !arguments.has("--json") else { return reports.map(json).joined(separator: "\n") }
    guard !reports.isEmpty else { return "no gaps" }
    let rows = reports.map { report in
      [
        report.from, report.to ?? "-", report.seconds.map { $0.text(decimals: 0) } ?? "-",
        report.metres.map { $0.text(decimals: 0) } ?? "-", report.sentence,
      ]
    }
    return FleetCommand.aligned([["from", "to", "seconds", "metres", "reason"]] + rows)
  }

  /// The gaps that begin in a period; nil if there is no such device.
  static func gaps(
    of name: String, _ database: BlockingConnection, from: Timestamp?, to: Timestamp?
  ) throws(PostgresError) -> [GapSearch.Gap]? {
    let newest = try DeviceLead.newest(database, device: name)
    let from = from ?? newest.map { $0 + (.zero - usualPeriod) }
    guard let lead = try DeviceLead(database, device: name, from: from),
      let history = try DeviceHistory(database, device: name, in: lead.period)
    else { return nil }
    var window = GapWindow(longest: longest, floor: lead.floor)
    if let to { window.end(before: to) }
    var gaps: [GapSearch.Gap] = []
    var position: Int64 = 0
    while !window.isOver {
      let page = try history.records(after: position, limit: portion)
      position += Int64(page.count)
      guard !page.isEmpty else {
        gaps += window.finish(at: newest)
        break
      }
      for row in page { if let stored = row.record { gaps += window.take(stored.record) } }
    }
    try history.end()
    return gaps
  }

  private static func json(_ report: GapReport) -> String {
    (try? SortedJSON.encode(report)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
  }
}
