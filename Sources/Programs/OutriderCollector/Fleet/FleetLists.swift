import FleetStore
import PostgreSQL

/// The commands below `fleet` that list.
enum FleetLists {
  private static let period = [
    CommandOption(name: "--from", placeholder: "TIME", text: "beginning (default: a week ago)"),
    CommandOption(name: "--to", placeholder: "TIME", text: "end (default: now)"),
  ]

  static let actions = [
    devices, device, FleetWhyCommand.action, events, FleetTrackCommand.action, settings, erasures,
  ]

  private static let devices = FleetCommand.Action(
    name: "devices", usage: "[--cohort C] [--silent|--state S] [--version V] [--not-as-desired]",
    summary: "list devices, silent ones first",
    options: [
      CommandOption(name: "--cohort", placeholder: "C", text: "only this cohort"),
      CommandOption(name: "--state", placeholder: "S", text: "ok, due, silent, never or disabled"),
      CommandOption(name: "--silent", placeholder: "", text: "only silent devices"),
      CommandOption(name: "--version", placeholder: "V", text: "only this version"),
      CommandOption(
        name: "--not-as-desired", placeholder: "", text: "only with settings that are not proven"),
    ]
  ) { database, arguments in
    let states = ["ok", "due", "silent", "never", "disabled"]
    let state = arguments.has("--silent") ? "silent" : arguments.value("--state")
    guard state.map(states.contains) ?? true else {
      throw Arguments.Misuse(
        message: "--state: expected \(states.joined(separator: ", ")), got \"\(state ?? "")\"")
    }
    let report = FleetReport.devices(
      cohort: arguments.value("--cohort"), state: state, version: arguments.value("--version"),
      isNotAsDesired: arguments.has("--not-as-desired"))
    return try FleetCommand.text(report, database, arguments, empty: "no devices")
  }

  private static let device = FleetCommand.Action(
    name: "device", usage: "NAME", summary: "everything known about a device", operands: 1...1
  ) { database, arguments in
    let name = arguments.operands[0]
    let parts: [(title: String, report: FleetReport)] = [
      ("device", .device(name)), ("settings", .settings(of: name)), ("records", .logs(of: name)),
      ("questions", .questions(to: name)),
      ("events", .events(name, from: nil, to: nil)),
    ]
    try FleetCommand.require(try !FleetReport.device(name).table(database).rows.isEmpty, name)
    guard !arguments.has("--json") else {
      let members = try parts.map { "\"\($0.title)\":\(try $0.report.json(database))" }
      return "{\(members.joined(separator: ","))}"
    }
    return try parts.map { part in
      let table = try part.report.table(database)
      guard !table.rows.isEmpty else { return "" }
      let rows = table.rows.map { $0.map { $0 ?? "-" } }
      return part.title == "device"
        ? FleetCommand.aligned(rows) : "\n\(part.title)\n\(FleetCommand.aligned([table.titles] + rows))"
    }.filter { !$0.isEmpty }.joined(separator: "\n")
  }

  private static let events = FleetCommand.Action(
    name: "events", usage: "NAME [--from T] [--to T]", summary: "events of a device", options: period,
    operands: 1...1
  ) { database, arguments in
    let name = arguments.operands[0]
    try FleetCommand.require(try !FleetReport.device(name).table(database).rows.isEmpty, name)
    let report = FleetReport.events(
      name, from: try FleetCommand.time(arguments, "--from"), to: try FleetCommand.time(arguments, "--to"))
    return try FleetCommand.text(report, database, arguments, empty: "no events")
  }

  private static let erasures = FleetCommand.Action(
    name: "erasures", usage: "", summary: "erased periods, for a backup with --json"
  ) { database, arguments in
    try FleetCommand.text(.erasures, database, arguments, empty: "nothing was erased")
  }

  private static let settings = FleetCommand.Action(
    name: "settings", usage: "[NAME]", summary: "desired settings, or outcomes on a device", operands: 0...1
  ) { database, arguments in
    guard let name = arguments.operands.first else {
      return try FleetCommand.text(.desired, database, arguments, empty: "no settings are desired")
    }
    try FleetCommand.require(try !FleetReport.device(name).table(database).rows.isEmpty, name)
    return try FleetCommand.text(
      .settings(of: name), database, arguments, empty: "no setting was sent to \(name)")
  }
}
