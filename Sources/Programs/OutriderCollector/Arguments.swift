/// A parsed command line: operands, and the options that a command declares.
///
/// `--name VALUE` and `--name=VALUE` are options; all other words are operands. `--` ends the options.
struct Arguments {
  /// A wrong command line, with the message for standard error.
  struct Misuse: Error {
    var message: String
  }

  private(set) var operands: [String] = []
  private var options: [String: String] = [:]

  /// Parses words. Throws if a word that begins with `-` is none of the declared options.
  init(_ words: ArraySlice<String>, _ declared: [CommandOption]) throws(Misuse) {
    let names = declared.map(\.name)
    var remainder = words
    while let word = remainder.popFirst() {
      guard word.hasPrefix("-"), word != "-" else {
        operands.append(word)
        continue
      }
      if word == "--" {
        operands += remainder
        return
      }
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard names.contains(parts[0]) else {
        throw Misuse(
          message: "unknown option \(parts[0]); available: \(names.sorted().joined(separator: ", "))")
      }
      if declared.contains(where: { $0.name == parts[0] && $0.placeholder.isEmpty }) {
        guard parts.count == 1 else { throw Misuse(message: "\(parts[0]) takes no value") }
        options[parts[0]] = ""
        continue
      }
      let isNextAnOption = remainder.first.map { names.contains($0) } ?? false
      guard let value = parts.count > 1 ? parts[1] : isNextAnOption ? nil : remainder.popFirst() else {
        throw Misuse(message: "\(parts[0]) requires a value")
      }
      options[parts[0]] = value
    }
  }

  /// The last value given for an option.
  func value(_ name: String) -> String? { options[name] }

  /// True if an option was given.
  func has(_ name: String) -> Bool { options[name] != nil }

  /// Throws if there is an operand.
  func rejectOperands() throws(Misuse) {
    guard let operand = operands.first else { return }
    throw Misuse(message: "unexpected argument \"\(operand)\"")
  }
}

/// An option of a command.
struct CommandOption: Sendable {
  /// The name, such as `--listen`.
  var name: String
  /// The placeholder of the value in the help; empty for an option without a value.
  var placeholder: String
  /// The sentence of the help.
  var text: String
}
