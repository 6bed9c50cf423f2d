import FleetStore
import PostgreSQL
import Quantities
import Settings
import System

/// The commands below `fleet` that change devices, tokens and settings.
enum FleetChanges {
  static let actions = [
    initialize, enrol, token, disable, enable, rename, move, ask, set, unset, schema, erase,
    FleetImportCommand.action,
  ]

  private static let initialize = FleetCommand.Action(
    name: "init", usage: "", summary: "create the tables, or bring them up to date"
  ) { database, arguments in
    var steps = try FleetSchema.migrate(database)
    let (version, settings) = (
      Release.version, SettingsReference.json(ofVersion: Release.version)
    )
    if try FleetOperations(database).storeSettingsSchema(settings, of: version) {
      steps.append("settings of version \(version)")
    }
    return FleetReply(done: steps).text(
      arguments,
      or: steps.isEmpty ? "the database is up to date" : steps.map { "done: \($0)" }.joined(separator: "\n"))
  }

  private static let enrol = FleetCommand.Action(
    name: "enrol", usage: "[--cohort C] [--device NAME|--renew NAME]",
    summary: "make a token for card images",
    options: [
      CommandOption(name: "--cohort", placeholder: "C", text: "cohort of the new devices (default: all)"),
      CommandOption(name: "--device", placeholder: "NAME", text: "make a device with a token of its own"),
      CommandOption(name: "--renew", placeholder: "NAME", text: "let a device enrol once more"),
    ]
  ) { database, arguments in
    let fleet = FleetOperations(database)
    if let name = arguments.value("--renew") {
      guard !arguments.has("--device") else {
        throw Arguments.Misuse(message: "enrol: give one of --device and --renew")
      }
      guard !arguments.has("--cohort") else {
        throw Arguments.Misuse(
          message: "enrol: --renew keeps the cohort; to change it: fleet move \(name) --cohort C")
      }
      try FleetCommand.require(try fleet.allowRenewal(of: name), name)
      return FleetReply(device: name, may_enrol: true).text(arguments, or: "\(name) may enrol once more")
    }
    let cohort = try NameRules.value(arguments, "--cohort") ?? "all"
    guard let name = try NameRules.value(arguments, "--device") else {
      let token = try fleet.createToken(.enrol, cohort: cohort).text
      return FleetReply(cohort: cohort, role: "enrol", token: token).text(arguments, or: token)
    }
    let token = try NameRules.give(
      name, "--device", remedy: ", or let it enrol once more: fleet enrol --renew \(name)"
    ) { () throws(PostgresError) in try fleet.createDevice(name, cohort: cohort).text }
    return FleetReply(device: name, cohort: cohort, token: token).text(arguments, or: token)
  }

  private static let token = FleetCommand.Action(
    name: "token", usage: "read|operator", summary: "make a token for people", operands: 1...1
  ) { database, arguments in
    guard let role = FleetOperations.Role(rawValue: arguments.operands[0]), role != .enrol else {
      throw Arguments.Misuse(message: "token: expected read or operator, got \"\(arguments.operands[0])\"")
    }
    let token = try FleetOperations(database).createToken(role).text
    return FleetReply(role: role.rawValue, token: token).text(arguments, or: token)
  }

  private static let disable = switching("disable", to: false, "refuse the requests of a device")
  private static let enable = switching("enable", to: true, "accept them again")

  private static func switching(_ name: String, to isEnabled: Bool, _ summary: String) -> FleetCommand.Action
  {
    FleetCommand.Action(name: name, usage: "NAME", summary: summary, operands: 1...1) { database, arguments in
      let device = arguments.operands[0]
      try FleetCommand.require(
        try FleetOperations(database).setEnabled(isEnabled, device: device), device)
      return FleetReply(device: device, enabled: isEnabled).text(arguments, or: "")
    }
  }

  private static let rename = FleetCommand.Action(
    name: "rename", usage: "NAME NEW", summary: "give a device another name", operands: 2...2
  ) { database, arguments in
    let name = arguments.operands[0]
    let newName = try NameRules.checked(arguments.operands[1], "rename NEW")
    let isDone = try NameRules.give(newName, "rename NEW") { () throws(PostgresError) in
      try FleetOperations(database).rename(name, to: newName)
    }
    try FleetCommand.require(isDone, name)
    return FleetReply(device: newName).text(arguments, or: "")
  }

  private static let move = FleetCommand.Action(
    name: "move", usage: "NAME --cohort C", summary: "move a device to another cohort",
    options: [CommandOption(name: "--cohort", placeholder: "C", text: "the cohort")], operands: 1...1
  ) { database, arguments in
    guard let cohort = try NameRules.value(arguments, "--cohort") else {
      throw Arguments.Misuse(message: "move: --cohort is required")
    }
    let name = arguments.operands[0]
    try FleetCommand.require(try FleetOperations(database).move(name, toCohort: cohort), name)
    return FleetReply(device: name, cohort: cohort).text(arguments, or: "")
  }

  /// The last questions to a device, and what the last answer has.
  private static func answers(
    of name: String, _ database: BlockingConnection, _ arguments: Arguments
  ) throws -> String {
    try FleetCommand.require(try !FleetReport.device(name).table(database).rows.isEmpty, name)
    let text = try FleetCommand.text(
      .questions(to: name, withAnswers: arguments.has("--json")), database, arguments,
      empty: "\(name) was not asked anything")
    guard !arguments.has("--json") else { return text }
    let lists = try [FleetReport.answeredGaps(of: name), .answeredFindings(of: name)].map {
      try FleetCommand.text($0, database, arguments, empty: "")
    }
    return ([text] + lists.filter { !$0.isEmpty }).joined(separator: "\n\n")
  }

  private static let questions = ["position", "report", "why", "doctor"]

  private static let ask = FleetCommand.Action(
    name: "ask", usage: "NAME [position|report|why|doctor]",
    summary: "ask a device, or show its answers",
    operands: 1...2
  ) { database, arguments in
    let name = arguments.operands[0]
    guard arguments.operands.count == 2 else { return try answers(of: name, database, arguments) }
    let what = arguments.operands[1]
    guard questions.contains(what) else {
      throw Arguments.Misuse(message: "ask: expected \(questions.joined(separator: ", ")), got \"\(what)\"")
    }
    let number = try FleetCommand.found(try FleetOperations(database).ask(name, what), name)
    return FleetReply(device: name, id: number).text(
      arguments,
      or: "the device gets question \(number) with its next request; for the answer: fleet ask \(name)")
  }

  // MARK: Settings

  private static let scope = [
    CommandOption(name: "--device", placeholder: "NAME", text: "for one device"),
    CommandOption(name: "--cohort", placeholder: "C", text: "for a cohort"),
    CommandOption(name: "--all", placeholder: "", text: "for all devices"),
  ]

  private static func scope(_ arguments: Arguments) throws(Arguments.Misuse) -> FleetOperations.Scope {
    let (device, cohort) = (arguments.value("--device"), arguments.value("--cohort"))
    switch (device, cohort, arguments.has("--all")) {
    case (let name?, nil, false): return .device(name)
    case (nil, let name?, false): return .cohort(name)
    case (nil, nil, true): return .all
    default: throw Arguments.Misuse(message: "give one of --device, --cohort and --all")
    }
  }

  private static let set = FleetCommand.Action(
    name: "set", usage: "KEY=VALUE… --device NAME|--cohort C|--all [--note TEXT] [--force]",
    summary: "desire settings",
    options: scope + [
      CommandOption(name: "--note", placeholder: "TEXT", text: "why"),
      CommandOption(name: "--force", placeholder: "", text: "also values that some devices will not accept"),
    ], operands: 1...100
  ) { database, arguments in
    let scope = try scope(arguments)
    let values = try arguments.operands.map { word throws(Arguments.Misuse) -> (key: String, value: String) in
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 2, !parts[0].isEmpty else {
        throw Arguments.Misuse(message: "set: expected KEY=VALUE, got \"\(word)\"")
      }
      return (parts[0], jsonValue(parts[1]))
    }
    let fleet = FleetOperations(database)
    let versions = try fleet.versions(for: scope)
    if case .device(let name) = scope { try FleetCommand.require(!versions.isEmpty, name) }
    let check = try SettingsCheck(of: values, versions: versions) { version in
      try fleet.settingsSchema(of: version)
    }
    guard check.objections.isEmpty || arguments.has("--force") else {
      throw FleetCommand.Failure(description: check.objections.joined(separator: "\n"))
    }
    for (key, value) in values {
      try fleet.setDesired(key, value, for: scope, note: arguments.value("--note") ?? "")
    }
    let warnings = check.objections + check.warnings
    return FleetReply(keys: values.map(\.key), warnings: warnings).text(
      arguments, or: warnings.joined(separator: "\n"))
  }

  private static let unset = FleetCommand.Action(
    name: "unset", usage: "KEY… --device NAME|--cohort C|--all", summary: "desire settings no longer",
    options: scope, operands: 1...100
  ) { database, arguments in
    let scope = try scope(arguments)
    let fleet = FleetOperations(database)
    let unknown = try arguments.operands.filter { key in try !fleet.clearDesired(key, for: scope) }
    let cleared = arguments.operands.filter { !unknown.contains($0) }
    return FleetReply(keys: cleared, not_desired: unknown).text(
      arguments, or: unknown.map { "\($0) was not desired" }.joined(separator: "\n"))
  }

  private static let schema = FleetCommand.Action(
    name: "schema", usage: "[--add FILE]", summary: "versions whose settings are known",
    options: [
      CommandOption(
        name: "--add", placeholder: "FILE", text: "add a version: the output of outrider settings --json")
    ]
  ) { database, arguments in
    guard let path = arguments.value("--add") else {
      return try FleetCommand.text(
        .schemas, database, arguments, empty: "no version; run outrider-collector fleet init")
    }
    let bytes = try FileBytes.read(path, limit: 1 << 20)
    guard let version = ServerSchema(json: bytes)?.version, !version.isEmpty else {
      throw FleetCommand.Failure(
        description: "\(path): expected the output of outrider settings --json of the devices' version")
    }
    _ = try FleetOperations(database).storeSettingsSchema(String(decoding: bytes, as: UTF8.self), of: version)
    return FleetReply(version: version).text(arguments, or: "settings of version \(version) added")
  }

  /// The JSON of a value: Booleans, numbers, lists and objects as they are, everything else as a string. Devices also
  /// accept Booleans and numbers as text.
  static func jsonValue(_ text: String) -> String {
    if ["true", "false"].contains(text) { return text }
    if let first = text.first, "[{".contains(first), let value = JSONValue(json5: Array(text.utf8)) {
      return value.json
    }
    let isNumber =
      Double(text)?.isFinite == true && text.allSatisfy { $0.isASCII && ($0.isNumber || ".-".contains($0)) }
      && !text.hasPrefix(".") && !text.hasSuffix(".")
      && !(text.count > 1 && text.hasPrefix("0") && !text.hasPrefix("0."))
    if isNumber, !text.hasPrefix("-.") { return text }
    var json: [UInt8] = []
    json.appendJSONString(text)
    return String(decoding: json, as: UTF8.self)
  }

  private static let erase = FleetCommand.Action(
    name: "erase", usage: "NAME [--from T] [--to T] | --apply FILE",
    summary: "delete the records of a device",
    options: [
      CommandOption(name: "--from", placeholder: "TIME", text: "beginning (default: the first record)"),
      CommandOption(name: "--to", placeholder: "TIME", text: "end (default: now)"),
      CommandOption(
        name: "--apply", placeholder: "FILE",
        text: "erase again what `fleet erasures --json` has written, in a backup that was restored"),
    ], operands: 0...1
  ) { database, arguments in
    if let path = arguments.value("--apply") {
      try arguments.rejectOperands()
      guard !arguments.has("--from"), !arguments.has("--to") else {
        throw Arguments.Misuse(
          message: "erase: --apply takes the periods of its file; leave out --from and --to")
      }
      let list = String(decoding: try FileBytes.read(path, limit: 100_000_000), as: UTF8.self)
      let count = try FleetOperations(database).applyErasures(list)
      return FleetReply(deleted: count).text(arguments, or: "\(count) records deleted")
    }
    guard arguments.operands.count == 1 else {
      throw Arguments.Misuse(message: "usage: erase NAME [--from T] [--to T], or erase --apply FILE")
    }
    let name = arguments.operands[0]
    let (from, to) = (try FleetCommand.time(arguments, "--from"), try FleetCommand.time(arguments, "--to"))
    if let from, let to, from >= to {
      throw Arguments.Misuse(message: "erase: --from must be earlier than --to; nothing was deleted")
    }
    let count = try FleetOperations(database).erase(name, from: from, to: to)
    let deleted = try FleetCommand.found(count, name)
    return FleetReply(device: name, deleted: deleted).text(arguments, or: "\(deleted) records deleted")
  }
}
