import Provisioning
import Quantities
import Settings

/// A manual page in the format of man(7).
struct ManualPage {
  /// The name of the page: `outrider-status`.
  var name: String
  var section: Int
  /// The sections after NAME: heading and lines of roff.
  private var parts: [(heading: String, lines: [String])] = []
  private var summary: String

  /// The name of its file: `outrider-status.1`.
  var fileName: String { "\(name).\(section)" }

  /// All pages of the program.
  static var all: [ManualPage] { [program] + Commands.all.map(ManualPage.init(command:)) + [configuration] }

  /// The page of a command.
  init(command: any Command.Type) {
    self.init(name: "outrider-\(command.name)", section: 1, summary: command.summary)
    let description = command.description
    add(
      "SYNOPSIS",
      description.usage.enumerated().flatMap { index, form in
        (index == 0 ? [] : [".br"]) + ["\\fBoutrider \(Self.escaped(command.name))\\fR"] + Self.filled(form)
      })
    add("DESCRIPTION", Self.paragraphs(description.text))
    let options = description.options.flatMap { option in
      [".TP", "\\fB\(Self.escaped(option.label))\\fR"]
        + option.text.split(separator: "\n").enumerated().flatMap { index, line in
          (index == 0 ? [] : [".br"]) + Self.filled(String(line))
        }
    }
    if !options.isEmpty { add("OPTIONS", options) }
    if !description.notes.isEmpty { add("NOTES", Self.paragraphs(description.notes)) }
    add("EXIT STATUS", Self.filled("\(description.exitStatus ?? Commands.exitStatus)."))
    add("SEE ALSO", [".BR outrider (1),", ".BR outrider.json5 (5)"])
  }

  /// The page of the program: all commands, files and environment.
  static var program: ManualPage {
    var page = ManualPage(name: "outrider", section: 1, summary: "GNSS logger for small Linux machines")
    page.add("SYNOPSIS", ["\\fBoutrider\\fR \\fICOMMAND\\fR [\\fIOPTION\\fR…]"])
    page.add("DESCRIPTION", filled(Commands.purpose))
    for group in CommandGroup.allCases {
      page.add(
        "COMMANDS: \(group.rawValue)".uppercased(),
        Commands.all.filter { $0.group == group }.flatMap { command in
          [".TP", ".BR outrider\\-\(escaped(command.name)) (1)"] + filled(command.summary)
        })
    }
    page.add(
      "FILES",
      files.flatMap { file in [".TP", "\\fI\(escaped(file.path))\\fR"] + filled(file.content) })
    page.add(
      "ENVIRONMENT",
      variables.flatMap { variable in [".TP", "\\fB\(variable.name)\\fR"] + filled(variable.content) })
    page.add("EXIT STATUS", filled("\(Commands.exitStatus)."))
    page.add("SEE ALSO", [".BR outrider.json5 (5),", ".BR gpsd (8),", ".BR systemctl (1)"])
    return page
  }

  /// The page of the configuration: every setting.
  static var configuration: ManualPage {
    var page = ManualPage(name: "outrider.json5", section: 5, summary: "configuration of outrider")
    page.add(
      "DESCRIPTION",
      paragraphs([
        """
        The configuration is a JSON5 file. The logger reads \(ConfigurationLocation.usual). Check a file with \
        outrider set --list --config FILE, and apply changes with systemctl reload outrider.
        """,
        """
        Every setting has one value, from the highest layer that gives one. The layers, lowest first: default, \
        board, usage profile, file, server, operator (outrider set), --set. A dot in a name separates a group \
        and its key. Durations and distances have a unit: 90s, 25m.
        """,
      ]))
    page.add(
      "SETTINGS",
      SettingsReference.all.flatMap { setting in
        [".TP", "\\fB\(escaped(setting.path))\\fR"] + filled(setting.sentence)
          + [".br"] + filled("Values: \(setting.expected). Default: \(setting.defaultText).")
      })
    page.add("SEE ALSO", [".BR outrider (1),", ".BR outrider\\-set (1),", ".BR outrider\\-settings (1)"])
    return page
  }

  private static let files: [(path: String, content: String)] = [
    ("/etc/outrider/config.json5", "configuration"),
    ("/var/lib/outrider/outrider.db", "log: all records, an SQLite database"),
    ("/var/lib/outrider/settings.json", "values of outrider set and of servers"),
    ("/run/outrider/api.sock", "local API, used by the commands"),
    ("/usr/share/outrider/boards", "board files"),
  ]

  private static let variables: [(name: String, content: String)] = [
    ("OUTRIDER_CONFIG", "path of the configuration, instead of the default"),
    ("OUTRIDER_BOARDS", "directory that is searched for board files first"),
    ("TZ", "time zone of the times that the commands print"),
  ]

  private init(name: String, section: Int, summary: String) {
    (self.name, self.section, self.summary) = (name, section, summary)
  }

  private mutating func add(_ heading: String, _ lines: [String]) { parts.append((heading, lines)) }

  /// The page as roff, with a final line break.
  var roff: String {
    let date = Release.date.iso8601().prefix(10)
    var lines = [
      ".TH \(name.uppercased()) \(section) \(date) \"outrider \(Release.version)\"", ".SH NAME",
      "\(Self.escaped(name)) \\- \(Self.escaped(summary))",
    ]
    for part in parts { lines += [".SH \"\(part.heading)\""] + part.lines }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The lines of paragraphs. One whose lines begin with two spaces keeps its layout.
  private static func paragraphs(_ texts: [String]) -> [String] {
    texts.enumerated().flatMap { index, text in
      guard !text.hasPrefix("  ") else {
        return [".PP", ".nf"] + text.split(separator: "\n").map { escaped(String($0)) } + [".fi"]
      }
      return (index == 0 ? [] : [".PP"]) + filled(text)
    }
  }

  /// The lines of a text, at most 78 columns where possible. A character outside of ASCII counts as the eight columns of
  /// its escape, `\[u00B2]`, as mandoc(1) counts it.
  private static func filled(_ text: String) -> [String] {
    var lines: [String] = []
    for word in text.split(separator: " ").map({ escaped(String($0)) }) {
      if let last = lines.last, columns(last) + 1 + columns(word) <= 78 {
        lines[lines.count - 1] = "\(last) \(word)"
      } else {
        lines.append(word)
      }
    }
    // A control character at the start of a line would make it a request.
    return lines.map { $0.hasPrefix(".") || $0.hasPrefix("'") ? "\\&\($0)" : $0 }
  }

  private static func columns(_ text: String) -> Int {
    text.unicodeScalars.reduce(0) { $0 + ($1.isASCII ? 1 : 8) }
  }

  private static func escaped(_ text: String) -> String {
    var result = ""
    for character in text {
      switch character {
      case "\\": result += "\\e"
      case "-": result += "\\-"
      case "'": result += "\\(aq"
      default: result.append(character)
      }
    }
    return result
  }
}
