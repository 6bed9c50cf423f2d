import LocalAPI
import Settings

/// `outrider set`: settings while running, and what counts.
enum SetCommand: Command {
  static let name = "set"
  static let summary = "change settings, or list them with their origins"
  static let help = """
    Usage: outrider set KEY=VALUE… [--unset KEY]… [--keep|--drop] [--config FILE] [--board NAME|FILE]
                        [--set KEY=VALUE]…
           outrider set --list [--changed] [--json] [--config FILE] [--board NAME|FILE] [--set KEY=VALUE]…

    What is set is kept in the storage directory, wins over files and servers, and counts at once in a running logger.
    All of it is taken or nothing. outrider settings says what there is.

      --unset KEY       forget what you and servers have set: files, and then servers, have the setting again; may stand
                        several times
    \(QueueWish.help)
      --list            print every setting with its value and where that comes from; with --config FILE this checks a
                        file before a logger gets it, a fault ends with status 2
                        A row ends with the file's value if the file has one without effect, and with the command that
                        gives the key back to the file.
      --changed         list only what differs from the default
      --json            as an array of {"key", "value", "origin"}; a key whose value in the file has no effect has
                        "file_value" and "give_back", too
    \(ConfigurationFiles.optionHelp)

    Exit status: 0 done, 1 could not be kept, 2 misuse, bad configuration, no such setting, not such a value, or records
    wait and neither --keep nor --drop says what becomes of them.
    """

  static func run(_ words: ArraySlice<String>) throws -> Int32 {
    let arguments = try Arguments(
      words, options: ConfigurationFiles.options + ["--unset"],
      flags: ["--list", "--changed", "--json"] + QueueWish.flags)
    guard arguments.has("--list") || !arguments.has("--changed") else {
      throw Arguments.Misuse(message: "--changed goes with --list")
    }
    let loaded: ConfigurationFiles.Loaded
    do { loaded = try ConfigurationFiles(arguments).load() } catch {
      Console.complain("\(error)")
      return 2
    }
    if arguments.has("--list") {
      loaded.configurationWarnings.forEach(Console.complain)
      try arguments.checkOperands(atMost: 0)
      guard arguments.values("--unset").isEmpty, try QueueWish(arguments) == nil else {
        throw Arguments.Misuse(message: "--list changes nothing; it goes with --changed and --json alone")
      }
      return try list(loaded, onlyChanged: arguments.has("--changed"), asJSON: arguments.has("--json"))
    }
    loaded.warnings.forEach(Console.complain)
    var wishes = OperatorWishes()
    for word in arguments.operands {
      guard let equals = word.firstIndex(of: "="), equals > word.startIndex else {
        throw Arguments.Misuse(message: "expected KEY=VALUE, as in main.min_time=5s")
      }
      let key = String(word[..<equals])
      guard wishes.values.updateValue(String(word[word.index(after: equals)...]), forKey: key) == nil else {
        throw Arguments.Misuse(message: "\(key) is given twice; one of them counts: leave the other out")
      }
    }
    wishes.unset = Set(arguments.values("--unset"))
    if let key = wishes.unset.intersection(wishes.values.keys).min() {
      throw Arguments.Misuse(message: "\(key) is to be set and unset; leave one of them out")
    }
    guard !wishes.values.isEmpty || !wishes.unset.isEmpty else {
      throw Arguments.Misuse(message: "nothing to set; give KEY=VALUE or --list")
    }
    let known = Set(Configuration.settings.map(\.path))
    if let unknown = wishes.unset.filter({ !known.contains($0) }).min() {
      let nearest = SettingsReference.settings(meantBy: unknown).map { "; did you mean \($0)?" } ?? ""
      throw Arguments.Misuse(message: "--unset: no setting \"\(unknown)\"\(nearest)")
    }
    do {
      let applied = try OperatorSettings.apply(wishes, to: loaded, queue: try QueueWish(arguments))
      for (keys, verb) in [(wishes.values.keys.sorted(), "set"), (wishes.unset.sorted(), "unset")] {
        if !keys.isEmpty { Console.print("\(keys.joined(separator: ", ")): \(applied.words(verb))") }
      }
      applied.consequences.forEach(Console.print)
      let later = Configuration.settings.filter {
        $0.applies == .afterRestart && (wishes.values[$0.path] != nil || wishes.unset.contains($0.path))
      }
      if !later.isEmpty {
        Console.print("counts with the next start: \(later.map(\.path).joined(separator: ", "))")
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
      // A running logger knows what was set.
      if running == nil, let fault = loaded.storedFault { Console.complain(fault) }
    } catch let refusal as LocalCall.Refusal {
      let incomplete = loaded.storedFault == nil ? "" : " without what was set while running"
      Console.complain("\(refusal); this is what the files say\(incomplete)")
      if !refusal.isDenied, let fault = loaded.storedFault { Console.complain(fault) }
    }
    var listing = running ?? SettingsListing(configuration)
    // A running logger has not seen what the file has been changed to since it was read.
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
        "  (without effect in the file: \(row.fileJSON ?? ""); \($0) gives it back)"
      }
      Console.print(
        row.key.padded(to: width + 2) + row.origin.padded(to: originWidth + 2) + row.json + (file ?? ""))
    }
    return 0
  }
}

extension String {
  /// With spaces behind it, so long.
  func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
