import LocalAPI
import Provisioning
import Settings

/// `outrider set`: changes and lists settings.
enum SetCommand: Command {
  static let name = "set"
  static let group = CommandGroup.configure
  static let summary = "change settings, or list them with their origins"
  static let description = CommandDescription(
    forms: ["KEY=VALUE… [--unset KEY]… [--keep|--drop]", "--list [--changed] [--json]"],
    text: [
      """
      Changes settings in the running logger and saves them in the storage directory. They override \
      files and servers. A change is applied as a whole or rejected as a whole. outrider settings \
      describes all settings.
      """
    ],
    options: [
      .value(
        "--unset", "KEY", .setting, isRepeatable: true,
        text: """
          remove the values of operator and servers, so that file and servers supply the setting again; \
          repeatable
          """),
      .flag(
        "--list",
        text: """
          list all settings with values and origins; with --config FILE, this validates a file \
          (exit status 2 if invalid). A row ends with a file value that has no effect, and the command that restores it.
          """),
      .flag("--changed", text: "list only settings that differ from the default"),
      .flag(
        "--json",
        text: """
          print an array of {"key", "value", "origin"}; a file value that has no effect adds "file_value" \
          and "give_back"
          """),
    ] + QueueChoice.options + ConfigurationFiles.options,
    exitStatus: """
      0 success; 1 the change cannot be saved; 2 misuse, invalid configuration, unknown setting, invalid \
      value, or a queue that requires --keep or --drop
      """,
    operands: .setting)

  static func run(_ words: ArraySlice<String>) throws -> Int32 {
    let arguments = try Arguments(words, description)
    guard arguments.has("--list") || !arguments.has("--changed") else {
      throw Arguments.Misuse(message: "--changed requires --list")
    }
    let loaded: ConfigurationFiles.Loaded
    do { loaded = try ConfigurationFiles(arguments).load() } catch {
      Console.complain("\(error)")
      return 2
    }
    if arguments.has("--list") {
      loaded.configurationWarnings.forEach(Console.complain)
      if loaded.sources.file?.name == ConfigurationLocation.lasting {
        Console.complain("values of the origin \"file\" are those of \(ConfigurationLocation.lasting)")
      }
      try arguments.checkOperands(atMost: 0)
      guard arguments.values("--unset").isEmpty, try QueueChoice(arguments) == nil else {
        throw Arguments.Misuse(message: "--list changes nothing; combine it only with --changed and --json")
      }
      return try list(loaded, onlyChanged: arguments.has("--changed"), asJSON: arguments.has("--json"))
    }
    loaded.configurationWarnings.forEach(Console.complain)
    var request = OperatorRequest()
    for word in arguments.operands {
      guard let equals = word.firstIndex(of: "="), equals > word.startIndex else {
        throw Arguments.Misuse(message: "expected KEY=VALUE, as in main.min_time=5s")
      }
      let key = String(word[..<equals])
      guard request.values.updateValue(String(word[word.index(after: equals)...]), forKey: key) == nil else {
        throw Arguments.Misuse(message: "\(key) is given twice; remove one of them")
      }
    }
    request.unset = Set(arguments.values("--unset"))
    if let key = request.unset.intersection(request.values.keys).min() {
      throw Arguments.Misuse(message: "\(key) is both set and unset; remove one of them")
    }
    guard !request.values.isEmpty || !request.unset.isEmpty else {
      throw Arguments.Misuse(message: "expected KEY=VALUE, --unset KEY or --list")
    }
    let known = Set(Configuration.settings.map(\.path))
    if let unknown = request.unset.filter({ !known.contains($0) }).min() {
      let nearest = SettingsReference.settings(meantBy: unknown).map { "; did you mean \($0)?" } ?? ""
      throw Arguments.Misuse(message: "--unset: no setting \"\(unknown)\"\(nearest)")
    }
    do {
      let applied = try OperatorSettings.applyWithWarning(
        request, to: loaded, queue: try QueueChoice(arguments))
      for (keys, verb) in [(request.values.keys.sorted(), "set"), (request.unset.sorted(), "unset")] {
        if !keys.isEmpty { Console.print("\(keys.joined(separator: ", ")): \(applied.words(verb))") }
      }
      applied.consequences.forEach(Console.print)
      let later = Configuration.settings.filter {
        $0.applies == .afterRestart && (request.values[$0.path] != nil || request.unset.contains($0.path))
      }
      if !later.isEmpty {
        Console.print("applied at the next start: \(later.map(\.path).joined(separator: ", "))")
      }
      return 0
    } catch let refusal as LocalCall.Refusal {
      Console.complain(refusal.description)
      return refusal.isMisuse ? 2 : 1
    }
  }

  private static func list(
    _ loaded: ConfigurationFiles.Loaded, onlyChanged: Bool, asJSON: Bool
  ) throws -> Int32 {
    let configuration = loaded.configuration
    var running: SettingsListing?
    do {
      running = try LocalCall.settings(configuration)
      // A running logger knows the run-time settings.
      if running == nil, let fault = loaded.storedFault { Console.complain(fault) }
    } catch let refusal as LocalCall.Refusal {
      let incomplete = loaded.storedFault == nil ? "" : " without run-time settings"
      Console.complain("\(refusal); listing the files\(incomplete)")
      if !refusal.isDenied, let fault = loaded.storedFault { Console.complain(fault) }
    }
    var listing = running ?? SettingsListing(configuration)
    // A running logger does not know the changes of the file since it was read.
    listing.mark(configuration.overriddenKeys)
    if onlyChanged { listing = listing.changed(from: ConfigurationFiles.fallbacks) }
    guard !asJSON else {
      Console.print(listing.array)
      return 0
    }
    let width = listing.rows.map(\.key.count).max() ?? 0
    let originWidth = listing.rows.map(\.origin.count).max() ?? 0
    for row in listing.rows {
      let file = row.command.map {
        "  (file value without effect: \(row.fileJSON ?? ""); restore it with \($0))"
      }
      Console.print(
        row.key.padded(to: width + 2) + row.origin.padded(to: originWidth + 2) + row.json + (file ?? ""))
    }
    return 0
  }
}

extension String {
  /// Returns the text, padded with spaces to a width.
  func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
