/// A command as data: the source of its parser, its help, its manual page and its completion.
struct CommandDescription: Sendable {
  /// The forms of the command line after the name. Options that none of them mentions are appended to each.
  var forms: [String] = [""]
  /// The paragraphs before the options. A paragraph whose lines begin with two spaces keeps its layout.
  var text: [String]
  var options: [CommandOption] = []
  /// The paragraphs after the options.
  var notes: [String] = []
  /// The meaning of the exit statuses; nil for the common ones.
  var exitStatus: String?
  /// The values that completion offers for operands.
  var operands = CommandOption.Values.any

  /// The forms with all options: `[--sky] [--units UNITS] FILE`.
  var usage: [String] {
    let mentioned = forms.flatMap { form in options.filter { $0.isMentioned(in: form) }.map(\.names) }
    let remainder = options.filter { !mentioned.contains($0.names) }.map(\.usage)
    return forms.map { ([$0].filter { !$0.isEmpty } + remainder).joined(separator: " ") }
  }
}

/// An option of a command.
struct CommandOption: Sendable {
  /// The values of an option or operand, for completion.
  enum Values: Equatable, Sendable {
    case any, file, directory, board, setting, command
    case words([String])
  }

  /// The names, the long one last: `["-v", "--verbose"]`.
  var names: [String]
  /// The placeholder of its value: `FILE`; nil for a flag.
  var placeholder: String?
  var values = Values.any
  var isRepeatable = false
  /// The sentence of the help. A line break in it remains.
  var text: String

  /// A flag: an option without a value.
  static func flag(_ names: String..., text: String) -> CommandOption {
    CommandOption(names: names, text: text)
  }

  /// An option with a value, declared as `--name PLACEHOLDER`.
  static func value(
    _ name: String, _ placeholder: String, _ values: Values = .any, isRepeatable: Bool = false, text: String
  ) -> CommandOption {
    CommandOption(
      names: [name], placeholder: placeholder, values: values, isRepeatable: isRepeatable, text: text)
  }

  /// The names with the placeholder: `-v, --verbose` or `--config FILE`.
  var label: String {
    ([names.joined(separator: ", ")] + [placeholder].compactMap { $0 }).joined(separator: " ")
  }

  /// The option in the usage of its command: `[-v]`, or `[--set KEY=VALUE]…`.
  var usage: String {
    let words = ([names.first ?? ""] + [placeholder].compactMap { $0 }).joined(separator: " ")
    return "[\(words)]\(isRepeatable ? "…" : "")"
  }

  /// True if a form of the command line contains the option as a word.
  func isMentioned(in form: String) -> Bool {
    let words = form.split { " []|".contains($0) }
    return names.contains { name in words.contains(name[...]) }
  }
}

extension CommandDescription {
  /// The longest line of the help, in characters.
  private static let width = 120

  /// The help of the command with a name.
  func help(of name: String) -> String {
    var parts = [
      usage.enumerated().map { index, form in
        Self.wrapped(
          Self.groups(form), first: index == 0 ? "Usage: outrider \(name) " : "       outrider \(name) ",
          next: String(repeating: " ", count: "Usage: outrider  ".count + name.count))
      }.joined(separator: "\n")
    ]
    parts += text.map(Self.paragraph)
    if !options.isEmpty {
      let column = (options.map(\.label.count).max() ?? 0) + 4
      parts.append(
        options.map { option in
          let lines = option.text.split(separator: "\n", omittingEmptySubsequences: false)
          return lines.enumerated().map { index, line in
            Self.wrapped(
              Self.words(line),
              first: index == 0 ? "  \(option.label)".padded(to: column) : Self.spaces(column),
              next: Self.spaces(column))
          }.joined(separator: "\n")
        }.joined(separator: "\n"))
    }
    parts += notes.map(Self.paragraph)
    if let exitStatus { parts.append(Self.paragraph("Exit status: \(exitStatus).")) }
    return parts.joined(separator: "\n\n")
  }

  private static func spaces(_ count: Int) -> String { String(repeating: " ", count: count) }

  private static func paragraph(_ text: String) -> String {
    text.hasPrefix("  ") ? text : wrapped(words(text[...]), first: "", next: "")
  }

  /// Joins words into lines of at most ``width`` characters, where possible.
  private static func wrapped(_ words: [String], first: String, next: String) -> String {
    var lines: [String] = []
    var line = first
    var isEmpty = true
    for word in words {
      if !isEmpty, line.count + 1 + word.count > width {
        lines.append(line)
        (line, isEmpty) = (next, true)
      }
      line += isEmpty ? word : " \(word)"
      isEmpty = false
    }
    lines.append(isEmpty ? line.trimmedAtEnd : line)
    return lines.joined(separator: "\n")
  }

  private static func words(_ text: Substring) -> [String] { text.split(separator: " ").map(String.init) }

  /// The words of a form of the command line. What stands in brackets stays together.
  private static func groups(_ form: String) -> [String] {
    var groups: [String] = []
    var depth = 0
    for word in words(form[...]) {
      if depth > 0, let last = groups.indices.last { groups[last] += " \(word)" } else { groups.append(word) }
      depth = max(0, depth + word.count { $0 == "[" } - word.count { $0 == "]" })
    }
    return groups
  }
}

extension String {
  /// The text without spaces at its end.
  var trimmedAtEnd: String {
    var text = self[...]
    while text.hasSuffix(" ") { text = text.dropLast() }
    return String(text)
  }
}
